import { setTimeout } from 'node:timers/promises';
import { allOff, type Model, type RunEvent, type RunResult, run } from '@forge/core';
import { clumsyModel, picnicAgent, request } from './picnic.ts';

export interface DemoResult {
  readonly guarded: RunResult;
  /** The same script with every guardrail off. */
  readonly bare: RunResult;
}

/** Plays the clumsy model against the guardrails, slowly enough to watch. */
export async function runDemo({
  delay = 0,
  signal,
  onEvent,
}: {
  /** Milliseconds before each reply. */
  delay?: number;
  signal?: AbortSignal;
  onEvent?: (event: RunEvent) => void;
}): Promise<DemoResult> {
  const bare = await run(picnicAgent(allOff), request, { model: clumsyModel(), signal });
  const guarded = await run(picnicAgent(), request, {
    model: slowly(clumsyModel(), delay),
    signal,
    onEvent,
  });
  return { guarded, bare };
}

function slowly(model: Model, delay: number): Model {
  return {
    id: model.id,
    async complete(request, options) {
      if (delay > 0) await setTimeout(delay, undefined, { signal: options.signal });
      return model.complete(request, options);
    },
  };
}
