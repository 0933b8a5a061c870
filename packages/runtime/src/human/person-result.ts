import { type JsonValue, text } from '@forge/core';

/** What a person did about a question. */
export interface PersonReply {
  readonly approved: boolean;
  readonly answer?: JsonValue | undefined;
  readonly reason?: string | undefined;
  readonly by?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at?: number | undefined;
}

/** The result of the call that asked, in words to the model: what was said, by whom, and when. */
export function personResult({ approved, answer, reason, by = 'a person', at }: PersonReply) {
  const when = at === undefined ? '' : ` at ${new Date(at).toISOString()}`;
  if (!approved) {
    const why = reason === undefined || reason.trim() === '' ? '' : `: ${reason.trim()}`;
    const said = `[Denied] ${by} said no${why}\n(decided by ${by}${when})`;
    return { outcome: 'denied' as const, content: [text(said)] };
  }
  const said =
    answer === undefined
      ? `Approved.\n(decided by ${by}${when})`
      : `${wordsOf(answer)}\n(answered by ${by}${when})`;
  return { outcome: 'ok' as const, content: [text(said)] };
}

function wordsOf(answer: JsonValue): string {
  if (answer === true) return 'yes';
  if (answer === false) return 'no';
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
