const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** A path as a person or a model would write it: `items[0].name`, or `(root)`. */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(root)';
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!IDENTIFIER.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
