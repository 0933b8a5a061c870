import type { Peek } from '../request/peek-request.ts';

const marks = ['"tool_calls"', '"tool_use"', '"function_call"', '"functionCall"'].map((mark) =>
  Buffer.from(mark),
);

/** Turns it takes before another call could make a loop, or a step could have been done. */
const enough = 1;

/**
 * Whether the history of a request holds calls, by its bytes: a request without any need not be
 * read for what was done before. Words of the conversation cannot look like these, since quotes
 * inside of strings are escaped.
 */
export function mayHaveCalls(bytes: Buffer, peek: Peek): boolean {
  const span = peek.span('messages') ?? peek.span('input') ?? peek.span('contents');
  if (span === undefined) return false;
  const history = bytes.subarray(span[0], span[1]);
  return marks.some((mark) => occurs(history, mark, enough));
}

function occurs(bytes: Buffer, mark: Buffer, times: number): boolean {
  let at = -1;
  for (let seen = 0; seen < times; seen++) {
    at = bytes.indexOf(mark, at + 1);
    if (at === -1) return false;
  }
  return true;
}
