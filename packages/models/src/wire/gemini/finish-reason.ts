import type { FinishReason } from '@forge/core';

const meanings: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  other: 'OTHER',
};

/** Gemini stops with `STOP` whether or not it calls; a call that went wrong has reasons of its own. */
export function decodeFinish(reason: string, hasCalls: boolean): FinishReason {
  const finish = meanings[reason] ?? 'other';
  return finish === 'stop' && hasCalls ? 'tool_calls' : finish;
}

export function encodeFinish(finish: FinishReason): string {
  return words[finish];
}
