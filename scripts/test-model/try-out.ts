import { type Model, type RunResult, run } from '@forge/core';
import { type ModelClient, withConstrainedCalls } from '@forge/models';
import type { Condition } from './conditions.ts';
import { isSolved, stockAgent, stockHistory, stockTasks } from './stock-task.ts';

/** One run, and what the guardrails had to do in it. */
export interface Try {
  readonly condition: string;
  readonly question: string;
  readonly seed: number;
  readonly solved: boolean;
  readonly reason: string;
  readonly turns: number;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly rescued: number;
  readonly mended: number;
  readonly constrained: number;
  /** Refused replies by what was wrong with them. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Plays every task `rounds` times under a condition. Same seeds for every condition. */
export async function* tryOut(options: {
  readonly client: ModelClient;
  readonly condition: Condition;
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly clock?: () => number;
}): AsyncGenerator<Try> {
  const { client, condition, rounds, signal, clock = Date.now } = options;
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of stockTasks.entries()) {
      const seed = 1_000 * (round + 1) + index;
      let constrained = 0;
      const voice = withConstrainedCalls(client, {
        policy: condition.constrain ? 'on-retry' : 'off',
        after: 1,
        onEvent: () => {
          constrained += 1;
        },
      });
      const startedAt = clock();
      const agent = stockAgent(task, condition.switches);
      const result = await run(agent, task.question, {
        model: seeded(voice, seed),
        history: stockHistory,
        signal,
      });
      if (result.status === 'cancelled') return;
      if (result.reason === 'model_failed') throw result.error;
      yield {
        condition: condition.name,
        question: task.question,
        seed,
        solved: isSolved(task, result),
        reason: result.reason,
        turns: result.turns,
        outputTokens: result.usage.outputTokens,
        seconds: Math.round((clock() - startedAt) / 100) / 10,
        constrained,
        ...workOf(result),
      };
    }
  }
}

function seeded(client: ModelClient, seed: number): Model {
  const overrides = { settings: { seed } };
  return {
    id: client.id,
    complete: (request, call) => client.complete(request, { ...call, overrides }),
    contextLength: (call) => client.contextLength(call),
  };
}

function workOf({ events }: RunResult): Pick<Try, 'rescued' | 'mended' | 'refused'> {
  let rescued = 0;
  let mended = 0;
  const refused: Record<string, number> = {};
  for (const event of events) {
    if (event.type === 'reply.accepted') {
      if (event.source === 'rescued') rescued += 1;
      mended += event.mended.length;
    }
    if (event.type !== 'reply.refused') continue;
    for (const { kind } of event.problems) refused[kind] = (refused[kind] ?? 0) + 1;
  }
  return { rescued, mended, refused };
}
