import { ForgeError, type Model, type ModelRequest } from '@forge/core';
import { countRefusals } from './count-refusals.ts';
import { leastContextLength } from './least-context-length.ts';
import type { OnModelEvent } from './model-event.ts';

export interface CascadeOptions {
  readonly onEvent?: OnModelEvent;
  /** Refusals in a row that a model may have before the next larger one is asked. */
  readonly patience?: number;
  /**
   * The least level for a request, for those who know better than the refusals in it tell (a
   * router, a plan, a hard task). 0 is the smallest model.
   */
  readonly level?: (request: ModelRequest) => number;
}

/**
 * The smallest model that manages. Which one is asked follows from the request alone: each
 * `patience` refusals in a row move one level up, an accepted reply moves back to the first. So
 * many runs can share a cascade, and a resumed run goes on where it was. Keep `patience` below
 * the kernel's limit of retries, else the run ends before the larger model is asked.
 */
export function cascade(models: readonly Model[], options: CascadeOptions = {}): Model {
  const { onEvent, patience = 2, level: leastLevel } = options;
  const [smallest] = models;
  if (smallest === undefined || !(patience >= 1)) {
    throw new ForgeError(
      'invalid_options',
      'cascade() needs at least one model, smallest first, and a patience of at least 1.',
    );
  }
  return {
    id: `cascade(${models.map((model) => model.id).join(', ')})`,
    contextLength: ({ signal }) => leastContextLength(models, signal),
    async complete(request, call) {
      const refusals = countRefusals(request.messages);
      const wanted = Math.max(Math.floor(refusals / patience), leastLevel?.(request) ?? 0);
      const level = Math.min(wanted, models.length - 1);
      const model = models[level] ?? smallest;
      if (level > 0) onEvent?.({ type: 'escalated', to: model.id, level, refusals });
      return { model: model.id, ...(await model.complete(request, call)) };
    },
  };
}
