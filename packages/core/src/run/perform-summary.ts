import type { Agent } from '../agents/define-agent.ts';
import { estimateMessageTokens } from '../context/estimate-tokens.ts';
import { prepareSummary } from '../context/summary.ts';
import { messageOf } from '../errors.ts';
import type { Effect } from '../kernel/effects.ts';
import type { Happening } from '../kernel/events.ts';
import type { RunState } from '../kernel/state.ts';
import type { Message } from '../messages/message.ts';
import { untilAborted } from './until-aborted.ts';

/** Summarises, and says what came of it. Never rejects. */
export async function performSummary(
  { context: { summarize } }: Agent,
  { calibration: { ratio } }: RunState,
  {
    messages,
    request,
    signal,
  }: Extract<Effect, { type: 'summarize' }> & { readonly signal: AbortSignal },
): Promise<Happening> {
  try {
    const text = (await untilAborted(async () => summarize?.(messages, { signal }), signal)) ?? '';
    const countTokens = (message: Message) => estimateMessageTokens(message) * ratio;
    const summary = prepareSummary({ request, text, countTokens });
    if (summary === undefined)
      return { type: 'context.summary_failed', error: 'The summary was empty or too long.' };
    return { type: 'context.summarized', replaces: [...summary.replaces], text: summary.text };
  } catch (error) {
    return { type: 'context.summary_failed', error: messageOf(error) };
  }
}
