import type { Peek } from '../request/peek-request.ts';

const marks = ['"tool_calls"', '"tool_use"', '"function_call"', '"functionCall"'].map((mark) =>
  Buffer.from(mark),
);

/**
 * Whether the history of a request holds calls, by its bytes: a request without any need not be
 * read for what was done before. Words of the conversation cannot look like these, since quotes
 * inside of strings are escaped.
 */
export function mayHaveCalls(bytes: Buffer, peek: Peek): boolean {
  const span = peek.span('messages') ?? peek.span('input') ?? peek.span('contents');
  if (span === undefined) return false;
  const history = bytes.subarray(span[0], span[1]);
  return marks.some((mark) => history.includes(mark));
}
