import { evolve, initialState, programView, type RunEvent } from '@forge/core';
import type { CheckedPipeline } from '@forge/pipeline';
import { isBroken, type Store } from '@forge/store';
import { addMember, evolveProgress, noProgress, type Progress } from '../progress/progress.ts';
import type { Reporter } from '../progress/reporter.ts';
import { type FamilyEvent, followFamily } from './family.ts';
import { plannedSteps } from './planned-steps.ts';

/** Milliseconds between two looks at what the feed tells nothing of, such as who holds a lease. */
const longestWait = 200;

/** Reads all that happens in a family, keeps its progress, and tells a reporter. */
export class FamilyWatch {
  readonly #store: Store;
  readonly #rootId: string;
  readonly #reporter: Reporter;
  readonly #onEvent: (happened: FamilyEvent) => void;
  readonly #pipeline: CheckedPipeline | undefined;
  readonly #read = new Map<string, number>();
  #progress: Progress = noProgress;
  #top = initialState;
  #change = Promise.withResolvers<void>();

  constructor({
    store,
    rootId,
    reporter,
    onEvent = () => {},
    pipeline,
  }: {
    readonly store: Store;
    readonly rootId: string;
    readonly reporter: Reporter;
    readonly onEvent?: (happened: FamilyEvent) => void;
    /** Of the run at the top, if it is one's. */
    readonly pipeline?: CheckedPipeline | undefined;
  }) {
    this.#store = store;
    this.#rootId = rootId;
    this.#reporter = reporter;
    this.#onEvent = onEvent;
    this.#pipeline = pipeline;
  }

  /** Reads until the signal aborts. Rejects only if the store fails. */
  async follow(signal: AbortSignal): Promise<void> {
    const root = await this.#store.run(this.#rootId);
    if (root !== undefined) this.#progress = addMember(this.#progress, root);
    for await (const happened of followFamily(this.#store, this.#rootId, { signal })) {
      const { run, event } = happened;
      if (!isBroken(event)) {
        this.#progress = evolveProgress(this.#progress, run, event);
        if (run.id === this.#rootId) this.#plan(event);
      }
      this.#read.set(run.id, event.seq);
      this.#reporter.event(this.#progress, happened);
      this.#onEvent(happened);
      this.#change.resolve();
      this.#change = Promise.withResolvers();
    }
  }

  /** What is still to come is in no log: the pipeline says it, from what its run did. */
  #plan(event: RunEvent): void {
    if (this.#pipeline === undefined || this.#reporter.plan === undefined) return;
    this.#top = evolve(this.#top, event);
    this.#reporter.plan(plannedSteps(this.#pipeline, programView(this.#top)));
  }

  /** The number of the last event of a run that was told. */
  readOf(runId: string): number {
    return this.#read.get(runId) ?? 0;
  }

  /** Resolves when it is so, or the signal aborts: looks after each event, and now and then. */
  async until(isSo: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const changed = this.#change.promise;
      if (await isSo()) return;
      await eitherOf(changed, signal);
    }
  }
}

async function eitherOf(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, longestWait);
  signal.addEventListener('abort', () => resolve(), { once: true });
  try {
    await Promise.race([changed, promise]);
  } finally {
    clearTimeout(timer);
    resolve();
  }
}
