/** `/pattern/flags` is a regular expression, anything else words to be found. */
export function matchPattern(pattern: string, text: string): boolean {
  const expression = readExpression(pattern);
  return expression === undefined ? text.includes(pattern) : expression.test(text);
}

/** Whether it can be matched: false for a regular expression that is none. */
export function isPattern(pattern: string): boolean {
  try {
    readExpression(pattern);
    return true;
  } catch {
    return false;
  }
}

function readExpression(pattern: string): RegExp | undefined {
  const [, source, flags] = /^\/(.+)\/([dimsuv]*)$/s.exec(pattern) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}
