import { untilAborted } from '@forge/core';
import type { Store } from '@forge/store';
import { RunReader } from './run-reader.ts';
import type { RunView } from './runtime.ts';

/** Milliseconds between two looks at a run of which the feed tells nothing: only a net. */
const longestWait = 1_000;

type Waiting = PromiseWithResolvers<void>;

/**
 * Waits for runs by the store's change feed: one reader of it for all who wait in this process, and
 * none while nobody does.
 */
export class RunWaiter {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<Waiting>>();
  #feed: { readonly begun: Promise<void>; readonly stop: AbortController } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves with the run when it is as wanted. Rejects with the signal's reason. */
  async until(
    runId: string,
    isThere: (view: RunView) => boolean,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<RunView> {
    const reader = new RunReader(this.#store, runId);
    const first = await reader.read();
    if (isThere(first)) return first;
    for (;;) {
      signal.throwIfAborted();
      // Expected before the look, so that whatever happens after it is told.
      const change = this.#expect(runId);
      let timer: NodeJS.Timeout | undefined;
      try {
        await untilAborted(() => this.#listen(), signal);
        const view = await reader.read();
        if (isThere(view)) return view;
        timer = setTimeout(change.resolve, longestWait);
        await untilAborted(() => change.promise, signal);
      } finally {
        clearTimeout(timer);
        this.#forget(runId, change);
      }
    }
  }

  #expect(runId: string): Waiting {
    const change: Waiting = Promise.withResolvers();
    const others = this.#waiting.get(runId);
    if (others === undefined) this.#waiting.set(runId, new Set([change]));
    else others.add(change);
    return change;
  }

  #forget(runId: string, change: Waiting): void {
    const waiting = this.#waiting.get(runId);
    waiting?.delete(change);
    if (waiting?.size === 0) this.#waiting.delete(runId);
    // Whoever has only looked waits again at once: the feed is kept until then.
    setImmediate(() => {
      if (this.#waiting.size === 0) this.#feed?.stop.abort();
    });
  }

  /** Resolves when the feed is read from a place before anything that happens from now on. */
  #listen(): Promise<void> {
    if (this.#feed !== undefined && !this.#feed.stop.signal.aborted) return this.#feed.begun;
    const stop = new AbortController();
    const from = this.#store.cursor();
    // A store that cannot tell now is asked again with the next look.
    const feed = {
      begun: from.then(
        () => {},
        () => {},
      ),
      stop,
    };
    this.#feed = feed;
    void this.#read(from, stop.signal)
      .catch(() => {})
      .finally(() => stop.abort());
    return feed.begun;
  }

  async #read(from: Promise<string>, signal: AbortSignal): Promise<void> {
    // A run that is given up has no event of it.
    const stop = this.#store.onWake((runIds = []) => {
      for (const runId of runIds) this.#tell(runId);
    });
    try {
      for await (const { runId } of this.#store.changes({ from: await from, signal })) {
        this.#tell(runId);
      }
    } finally {
      stop();
    }
  }

  #tell(runId: string): void {
    for (const { resolve } of this.#waiting.get(runId) ?? []) resolve();
  }
}
