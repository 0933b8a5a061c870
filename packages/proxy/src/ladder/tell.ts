import type { Message } from '@forge/core';
import type { RefusedReply } from './ask.ts';

/** Older refusals tell the model nothing new, and a prompt has to stay within bounds. */
const toldRefusals = 2;

/** The last refused replies, each with what was wrong with it. */
export function tell(refusals: readonly RefusedReply[]): Message[] {
  return refusals.slice(-toldRefusals).flatMap(({ message, nudges }) => [message, ...nudges]);
}
