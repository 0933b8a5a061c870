import type { FinishReason } from '@forge/core';

const meanings: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
]);

/**
 * `raw` is kept where the meaning does not lead back to it. With a forced tool OpenAI says `stop`
 * after a call, as some local servers always do: a call to answer is what it means.
 */
export function decodeFinish(
  reason: string | null | undefined,
  hasCalls: boolean,
): { readonly finish: FinishReason; readonly raw?: string } {
  if (!reason) return { finish: hasCalls ? 'tool_calls' : 'other' };
  const meaning = meanings.get(reason) ?? 'other';
  const finish = meaning === 'stop' && hasCalls ? 'tool_calls' : meaning;
  return finish === reason ? { finish } : { finish, raw: reason };
}

/** `raw` wins if it still means the same. Clients know no `other`. */
export function encodeFinish(finish: FinishReason, raw: unknown, hasCalls: boolean): string {
  if (typeof raw === 'string' && decodeFinish(raw, hasCalls).finish === finish) return raw;
  return finish === 'other' ? 'stop' : finish;
}
