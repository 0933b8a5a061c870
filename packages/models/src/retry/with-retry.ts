import { definedFields } from '../client/defined-fields.ts';
import { type ModelClient, toClient } from '../client/model-client.ts';
import { ModelError } from '../wire/model-error.ts';
import { nextDelay } from './next-delay.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';
import { sleep as realSleep, type Sleep } from './sleep.ts';

/** A try failed and another will follow. */
export interface RetryEvent {
  readonly type: 'retry';
  readonly model: string;
  /** The number of the try that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds until the next one. */
  readonly delay: number;
  readonly error: ModelError;
}

export interface RetryOptions extends Partial<RetryPolicy> {
  readonly onRetry?: (event: RetryEvent) => void;
  readonly clock?: () => number;
  readonly sleep?: Sleep;
  readonly random?: () => number;
}

/**
 * A client that tries again where that may help. Once a piece of a reply has been shown to
 * anyone, a failure is final: a second try would show another beginning after it.
 */
export function withRetry(client: ModelClient, options: RetryOptions = {}): ModelClient {
  const {
    onRetry,
    clock = Date.now,
    sleep = realSleep,
    random = Math.random,
    ...overrides
  } = options;
  const policy: RetryPolicy = { ...defaultRetryPolicy, ...definedFields(overrides) };

  /** Waits for the next try, or throws what there is to throw. */
  async function pause(failure: Failure, signal: AbortSignal): Promise<void> {
    const { error, attempt, startedAt, shown } = failure;
    if (!(error instanceof ModelError) || signal.aborted) throw error;
    const elapsed = clock() - startedAt;
    const delay = shown ? undefined : nextDelay({ policy, error, attempt, elapsed, random });
    if (delay === undefined) throw attempt === 1 ? error : afterTries(error, attempt);
    onRetry?.({ type: 'retry', model: client.id, attempt, delay, error });
    await sleep(delay, signal);
  }

  return toClient({
    ...client,
    async reply(request, call) {
      const startedAt = clock();
      let shown = false;
      const { onDelta } = call;
      const watched = onDelta && {
        onDelta: (delta: Parameters<typeof onDelta>[0]) => {
          shown = true;
          onDelta(delta);
        },
      };
      for (let attempt = 1; ; attempt++) {
        try {
          return await client.reply(request, { ...call, ...watched });
        } catch (error) {
          await pause({ error, attempt, startedAt, shown }, call.signal);
        }
      }
    },
    async *stream(request, call) {
      const startedAt = clock();
      for (let attempt = 1; ; attempt++) {
        // The head of a reply says nothing yet: it is held back until the first piece proves that
        // the try came to something, so that a second try does not yield a second head.
        const held = [];
        let shown = false;
        try {
          for await (const event of client.stream(request, call)) {
            if (!shown && event.type === 'start') {
              held.push(event);
              continue;
            }
            shown = true;
            yield* held.splice(0);
            yield event;
          }
          yield* held;
          return;
        } catch (error) {
          await pause({ error, attempt, startedAt, shown }, call.signal);
        }
      }
    },
  });
}

interface Failure {
  readonly error: unknown;
  readonly attempt: number;
  readonly startedAt: number;
  readonly shown: boolean;
}

function afterTries(error: ModelError, tries: number): ModelError {
  const { kind, message, status, retryAfter, body } = error;
  return new ModelError(
    { kind, message: `${message} (tried ${tries} times)`, status, retryAfter, body },
    { cause: error },
  );
}
