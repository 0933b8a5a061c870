import type { Attempt } from '../proxy-event.ts';
import { readCleanChat } from './clean-chat.ts';
import type { ReplyPlan } from './plan-reply.ts';

const none: readonly never[] = [];

/** A whole reply of chat completions that is plainly right, without the long way round. */
export function glance({ wire, rules, mayRepeat }: ReplyPlan, body: unknown): Attempt | undefined {
  if (wire.name !== 'openai-chat' || rules.guard === undefined) return undefined;
  const clean = readCleanChat(body, rules.guard, rules.oneCall);
  if (clean === undefined || mayRepeat(clean.calls)) return undefined;
  const { usage } = clean;
  return { rung: 'native', problems: none, mended: none, ...(usage !== undefined && { usage }) };
}
