import { createHash } from 'node:crypto';
import { ForgeError } from '@forge/core';
import type { Route, RouteRequest, Router, Skipped, Weights } from './router.ts';

export interface RouterOptions {
  readonly weights?: Weights;
  /** Where no weights are given for a kind of work. */
  readonly defaultModel?: string | undefined;
  /** Whether a model can be used here; if not, what is missing, such as the name of a variable. */
  readonly available?: (model: string) => true | { readonly missing: string };
}

/**
 * Chooses models by fixed weights. Pure: the same request gets the same model.
 *
 * @example
 * const router = createRouter({ weights: { coding: { 'a:x': 3, 'b:y': 1 } }, defaultModel: 'a:x' });
 * router.route({ taskType: 'coding', seed: run.id }).model;
 */
export function createRouter({
  weights = {},
  defaultModel,
  available = () => true,
}: RouterOptions): Router {
  checkWeights(weights);
  const missing = (model: string): Skipped | undefined => {
    const answer = available(model);
    return answer === true ? undefined : { model, why: answer.missing };
  };
  return {
    route({ taskType, pinned, seed }: RouteRequest): Route {
      const skipped: Skipped[] = [];
      const usable = (model: string): boolean => {
        const why = missing(model);
        if (why !== undefined) skipped.push(why);
        return why === undefined;
      };
      const given = Object.hasOwn(weights, taskType) ? (weights[taskType] ?? {}) : {};
      const arms = Object.entries(given).filter(([, weight]) => weight > 0);
      if (pinned !== undefined) {
        if (usable(pinned)) return only(pinned, 'pinned', skipped);
        throw nothingLeft(taskType, skipped); // Somebody named it: no other is meant.
      }
      const left = arms.filter(([model]) => usable(model));
      if (left.length > 0) {
        const shares = normalised(left);
        const draw = drawFrom(`${taskType}\0${seed}`);
        return { model: pick(shares, draw), reason: 'weights', weights: shares, draw, skipped };
      }
      const tried = skipped.some(({ model }) => model === defaultModel);
      if (defaultModel !== undefined && !tried && usable(defaultModel)) {
        return only(defaultModel, arms.length === 0 ? 'default' : 'fallback', skipped);
      }
      throw nothingLeft(taskType, skipped);
    },
  };
}

function only(model: string, reason: Route['reason'], skipped: readonly Skipped[]): Route {
  return { model, reason, weights: { [model]: 1 }, draw: undefined, skipped };
}

function normalised(arms: readonly (readonly [string, number])[]): Record<string, number> {
  // By the largest first, so that weights near the edge of what a number holds do not overflow.
  const largest = Math.max(...arms.map(([, weight]) => weight));
  const scaled = arms.map(([model, weight]) => [model, weight / largest] as const);
  const sum = scaled.reduce((total, [, weight]) => total + weight, 0);
  return Object.fromEntries(scaled.map(([model, weight]) => [model, weight / sum]));
}

function pick(shares: Readonly<Record<string, number>>, draw: number): string {
  let left = draw;
  let last = '';
  for (const [model, share] of Object.entries(shares)) {
    last = model;
    left -= share;
    if (left < 0) return model;
  }
  return last; // Shares may add up to a hair less than 1.
}

/** A number from 0 up to 1 that depends on the seed alone. */
function drawFrom(seed: string): number {
  return createHash('sha256').update(seed).digest().readUIntBE(0, 6) / 2 ** 48;
}

function checkWeights(weights: Weights): void {
  for (const [taskType, models] of Object.entries(weights)) {
    for (const [model, weight] of Object.entries(models)) {
      if (Number.isFinite(weight) && weight >= 0) continue;
      throw new ForgeError(
        'invalid_options',
        `router.weights.${taskType}["${model}"] has to be a number of at least 0, not ${weight}.`,
      );
    }
  }
}

function nothingLeft(taskType: string, skipped: readonly Skipped[]): ForgeError {
  if (skipped.length === 0) {
    return new ForgeError(
      'not_found',
      `No model is configured for ${taskType}. Set model in forge.yaml, such as "model: ollama:qwen3:8b", or pass --model.`,
    );
  }
  const list = skipped.map(({ model, why }) => `${model} (${why})`).join(', ');
  return new ForgeError('not_found', `No model can be used for ${taskType}: ${list}.`);
}
