import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { RunView } from '@forge/runtime';
import type { Store } from '@forge/store';
import { familyRuns, sumOf } from './family.ts';
import { type StateWord, stateWord } from './run-state.ts';

/** What came of a pipeline, for programs. */
export interface PipelineResult {
  readonly type: 'result';
  readonly success: boolean;
  readonly pipelineId: string;
  readonly state: StateWord;
  readonly agentRuns: readonly {
    readonly id: string;
    readonly agent: string;
    readonly status: StateWord;
    readonly latencyMs: number;
  }[];
  readonly deploymentId?: string;
  readonly totalMs: number;
  readonly tokens: number;
  readonly cost: number;
  readonly errors: readonly { readonly agent: string; readonly message: string }[];
  /** What it handed over: an object where it is JSON, else its words. */
  readonly output?: JsonValue;
}

export async function pipelineResult(store: Store, view: RunView): Promise<PipelineResult> {
  const { run } = view;
  const family = await familyRuns(store, run.id);
  const below = family.filter(({ id }) => id !== run.id);
  const output = outputOf(view);
  const deploymentId = isJsonObject(output) ? findText(output, 'deploymentId') : undefined;
  const now = await store.now();
  return {
    type: 'result',
    success: run.state === 'completed',
    pipelineId: run.id,
    state: stateWord(run),
    agentRuns: below.map((each) => ({
      id: each.id,
      agent: bareAgent(each.agent),
      status: stateWord(each),
      latencyMs: (each.finishedAt ?? now) - each.createdAt,
    })),
    ...(deploymentId !== undefined && { deploymentId }),
    totalMs: (run.finishedAt ?? now) - run.createdAt,
    tokens: sumOf(family, ({ usage }) => usage.inputTokens + usage.outputTokens),
    cost: sumOf(family, ({ cost }) => cost),
    errors: family
      .filter(({ state }) => state === 'failed' || state === 'dead')
      .map(({ agent, explanation }) => ({
        agent: bareAgent(agent),
        message: explanation ?? 'It failed.',
      })),
    ...(output !== undefined && { output }),
  };
}

/** What a run handed over: a value where its words are JSON, else the words. */
export function outputOf({ state }: Pick<RunView, 'state'>): JsonValue | undefined {
  const text = state.output?.text;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A text by its name, here or one level below: results of steps are kept under their names. */
export function findText(value: JsonObject, name: string): string | undefined {
  for (const each of [value, ...Object.values(value)]) {
    if (!isJsonObject(each)) continue;
    const found = each[name];
    if (typeof found === 'string') return found;
  }
  return undefined;
}
