import type { FinishReason, JsonValue } from '@forge/core';

const finishes: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
  /** The provider's own tools take long: the same request with this reply added goes on. */
  pause_turn: 'other',
};

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  other: 'end_turn',
};

export function decodeStopReason(stopReason: JsonValue | undefined): FinishReason {
  if (typeof stopReason !== 'string' || !Object.hasOwn(finishes, stopReason)) return 'other';
  return finishes[stopReason] ?? 'other';
}

/**
 * The wire's own word, if it was kept and still means the same; the finish may have been changed
 * since. Clients of this wire run tools only when told `tool_use`, so a reply with calls that
 * merely stopped says that.
 */
export function encodeStopReason(reply: {
  readonly finish: FinishReason;
  readonly stopReason: JsonValue | undefined;
  readonly hasCalls: boolean;
}): string {
  const { stopReason } = reply;
  const finish = reply.finish === 'stop' && reply.hasCalls ? 'tool_calls' : reply.finish;
  const said = typeof stopReason === 'string' && decodeStopReason(stopReason) === finish;
  return said ? stopReason : stopReasons[finish];
}
