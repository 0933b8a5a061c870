/** Characters of a body kept on an error. */
const longestBody = 64 * 1024;
const longestMessage = 500;

/** A body as an error keeps it; nothing for an empty one. */
export function boundedBody(body: string): { body?: string } {
  return body === '' ? {} : { body: body.slice(0, longestBody) };
}

/** Words for an error's message: on one line and not without end. */
export function oneLine(words: string): string {
  const line = words
    .slice(0, 4 * longestMessage)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}
