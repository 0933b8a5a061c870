import type { Agent } from '../agents/define-agent.ts';
import { resolveBudget } from '../context/resolve-budget.ts';
import type { Happening } from '../kernel/events.ts';
import type { Message, UserMessage } from '../messages/message.ts';
import type { Model } from '../models.ts';
import { startTimer } from './start-timer.ts';
import { untilAborted } from './until-aborted.ts';

/** The first event of a run. Asks the model for its window if the agent does not say. */
export async function beginRun({
  agent,
  model,
  history = [],
  input,
  signal,
}: {
  readonly agent: Agent;
  /** None for a program. */
  readonly model?: Model | undefined;
  readonly history?: readonly Message[];
  readonly input: readonly UserMessage[];
  readonly signal?: AbortSignal | undefined;
}): Promise<Extract<Happening, { type: 'run.started' }>> {
  const { context, name, guard } = agent;
  const budget = resolveBudget({
    mode: context.mode ?? (context.tokens === undefined ? 'backend' : 'manual'),
    tokens: context.tokens,
    reserveForReply: context.reserveForReply,
    backendTokens: model && (await askContextLength(model, guard.limits.duration, signal)),
  });
  return {
    type: 'run.started',
    agent: name,
    history: [...history],
    input: [...input],
    budget: budget.tokens,
    budgetSource: budget.source,
    reasoningReplay: context.reasoningReplay ?? model?.reasoningReplay ?? 'last',
  };
}

/** A backend that cannot say is no reason to fail: the event tells where the budget came from. */
async function askContextLength(
  model: Model,
  patience: number,
  stop: AbortSignal | undefined,
): Promise<number | undefined> {
  if (model.contextLength === undefined) return undefined;
  const enough = new AbortController();
  const timer = startTimer(patience, () => enough.abort());
  const signal = AbortSignal.any([stop ?? enough.signal, enough.signal]);
  try {
    return await untilAborted(async () => model.contextLength?.({ signal }), signal);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
