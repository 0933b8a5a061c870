import type { StreamEvent } from '../wire/wire.ts';

/**
 * Events as an iteration, from a task that tells them. Ending the iteration early aborts the task
 * and waits for it; a failure of the task is thrown after the events before it.
 */
export async function* streamFrom(
  task: (signal: AbortSignal, onEvent: (event: StreamEvent) => void) => Promise<unknown>,
  caller: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const stop = new AbortController();
  const queue: StreamEvent[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;
  const running = task(AbortSignal.any([caller, stop.signal]), (event) => {
    queue.push(event);
    wake.resolve();
  });
  const settled = running.then(
    () => {},
    () => {},
  );
  void settled.then(() => {
    ended = true;
    wake.resolve();
  });
  try {
    while (!ended || queue.length > 0) {
      yield* queue.splice(0);
      if (ended) continue;
      await wake.promise;
      wake = Promise.withResolvers();
    }
    await running;
  } finally {
    stop.abort();
    await settled;
  }
}
