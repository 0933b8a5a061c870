import { ForgeError, type Model, type ModelReply } from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import { leastContextLength } from './least-context-length.ts';
import type { OnModelEvent } from './model-event.ts';

export interface FallbackOptions {
  readonly onEvent?: OnModelEvent;
  /** Milliseconds for which a model that failed is asked only after the others. */
  readonly rest?: number;
  readonly clock?: () => number;
}

/**
 * One model out of several: asks the first, and the next when it fails. Once a piece of a reply
 * has been shown the failure is final. If all fail, the last error is thrown, with all of them
 * as its cause.
 *
 * @example
 * const model = fallback([createModel('anthropic:claude-sonnet-4-5'), createModel('ollama:qwen3:8b')]);
 */
export function fallback(models: readonly Model[], options: FallbackOptions = {}): Model {
  const { onEvent, rest = 60_000, clock = Date.now } = options;
  if (models.length === 0) {
    throw new ForgeError('invalid_options', 'fallback() needs at least one model.');
  }
  const failedAt = new Map<Model, number>();
  const inOrder = () => {
    const now = clock();
    const resting = (model: Model) =>
      now - (failedAt.get(model) ?? Number.NEGATIVE_INFINITY) < rest ? 1 : 0;
    return models.toSorted((a, b) => resting(a) - resting(b));
  };
  return {
    id: `fallback(${models.map((model) => model.id).join(', ')})`,
    contextLength: ({ signal }) => leastContextLength(models, signal),
    async complete(request, call): Promise<ModelReply> {
      const { signal, onDelta } = call;
      const errors: unknown[] = [];
      let shown = false;
      const watched = onDelta && {
        onDelta: (delta: Parameters<typeof onDelta>[0]) => {
          shown = true;
          onDelta(delta);
        },
      };
      const order = inOrder();
      for (const [at, model] of order.entries()) {
        try {
          const reply = await model.complete(request, { ...call, ...watched });
          failedAt.delete(model);
          return { model: model.id, ...reply };
        } catch (error) {
          if (signal.aborted || shown) throw error;
          failedAt.set(model, clock());
          errors.push(error);
          const next = order[at + 1];
          if (next !== undefined) {
            onEvent?.({ type: 'fell_back', from: model.id, to: next.id, error });
          }
        }
      }
      throw lastOf(errors);
    },
  };
}

function lastOf(errors: readonly unknown[]): unknown {
  const last = errors.at(-1);
  if (errors.length === 1 || !(last instanceof ModelError)) return last;
  const { kind, status, retryAfter, body } = last;
  const message = `${last.message} (${errors.length} models failed; this is what the last one said)`;
  const cause = new AggregateError(errors, 'Every model failed.');
  return new ModelError({ kind, message, status, retryAfter, body }, { cause });
}
