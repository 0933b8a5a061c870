import { type Message, nudgeTags, textOf } from '@forge/core';
import type { RefusedReply } from './ask.ts';

/** Faults that the shape of a call leaves no room for. */
const ruledOut: ReadonlySet<string> = new Set([
  nudgeTags.no_call,
  nudgeTags.empty_reply,
  nudgeTags.unknown_tool,
  nudgeTags.unusable_call,
  nudgeTags.not_chosen,
  nudgeTags.too_many_calls,
]);

/**
 * Whether a refusal tells a model that is held to the shape of a call anything new. If not, it is
 * better forgotten: a model that sees its own prose writes more of it.
 */
export function saysMore({ message, nudges }: RefusedReply): boolean {
  const tags = nudges.map(tagOf);
  const isCall = message.content.some((part) => part.type === 'tool_call');
  if (tags.includes(nudgeTags.cut_off) && !isCall) return false;
  return tags.some((tag) => !ruledOut.has(tag));
}

function tagOf(nudge: Message): string {
  const words = nudge.role === 'tool' ? nudge.content.map(textOf).join('\n') : textOf(nudge);
  return /^\[(\w+)\]/.exec(words)?.[1] ?? '';
}
