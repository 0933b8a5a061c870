import type { ForgeErrorCode } from '@forge/core';
import type { NewMessage, RunState } from '../store.ts';

/** A run as the model knows it. */
export interface ModelRun {
  state: RunState;
  seq: number;
  fence: number;
  until: number | undefined;
  /** When it wants to be worked on. */
  wakeAt: number | undefined;
  strikes: number;
  wrote: boolean;
  readonly inbox: { readonly payload: number; readonly wakes: boolean; read: boolean }[];
  readonly sources: Set<string>;
  readonly timers: Map<string, number>;
}

export interface ModelStep {
  readonly runId: string;
  readonly fence: number;
  readonly expectedSeq: number;
  readonly events: number;
  /** Payloads of messages to read. */
  readonly reads: readonly number[];
  readonly timers: Readonly<Record<string, number | null>>;
  readonly state?: RunState;
}

/** The rules of the store without a database: what it is compared with. One thing happens at a time. */
export class ModelStore {
  readonly runs = new Map<string, ModelRun>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  create(id: string, wakeAt: number | undefined): ForgeErrorCode | undefined {
    if (this.runs.has(id)) return 'run_exists';
    this.runs.set(id, {
      state: 'open',
      seq: 0,
      fence: 0,
      until: undefined,
      wakeAt: wakeAt ?? this.#now(),
      strikes: 0,
      wrote: false,
      inbox: [],
      sources: new Set(),
      timers: new Map(),
    });
    return undefined;
  }

  send(id: string, message: NewMessage & { readonly payload: number }): boolean | ForgeErrorCode {
    const run = this.runs.get(id);
    if (run === undefined) return 'not_found';
    if (message.source !== undefined) {
      if (run.sources.has(message.source)) return false;
      run.sources.add(message.source);
    }
    const wakes = message.wakes ?? true;
    run.inbox.push({ payload: message.payload, wakes, read: false });
    if (message.reopens === true && run.state !== 'open' && run.state !== 'cancelled') {
      run.state = 'open';
      run.strikes = 0;
    }
    if (wakes && (run.state === 'open' || run.state === 'paused')) {
      run.wakeAt = Math.min(run.wakeAt ?? Number.POSITIVE_INFINITY, this.#now());
    }
    return true;
  }

  isDue(id: string): boolean {
    const run = this.runs.get(id);
    if (run === undefined || run.state !== 'open') return false;
    const due = run.until ?? run.wakeAt;
    return due !== undefined && due <= this.#now();
  }

  /** The run is due; the fence of its lease. */
  claim(id: string, ttl: number): number {
    const run = this.#get(id);
    if (run.until !== undefined && !run.wrote) run.strikes += 1;
    run.fence += 1;
    run.wrote = false;
    run.until = this.#now() + ttl;
    return run.fence;
  }

  heartbeat(id: string, fence: number, ttl: number): boolean {
    if (!this.#holds(id, fence)) return false;
    this.#get(id).until = this.#now() + ttl;
    return true;
  }

  append(step: ModelStep): number | ForgeErrorCode {
    const run = this.runs.get(step.runId);
    if (run === undefined) return 'not_found';
    if (!this.#holds(step.runId, step.fence)) return 'lease_lost';
    if (run.seq !== step.expectedSeq) return 'seq_conflict';
    const isRead = run.inbox.every(({ read, payload }) => read || step.reads.includes(payload));
    if (step.state === 'completed' && !isRead) return 'unread_messages';
    run.seq += step.events;
    for (const message of run.inbox) if (step.reads.includes(message.payload)) message.read = true;
    for (const [name, due] of Object.entries(step.timers)) {
      if (due === null) run.timers.delete(name);
      else run.timers.set(name, due);
    }
    if (step.events > 0 || step.state !== undefined) {
      run.strikes = 0;
      run.wrote = true;
    }
    run.state = step.state ?? run.state;
    if (step.state === 'completed') {
      run.until = undefined;
      run.wakeAt = undefined;
    }
    return run.seq;
  }

  release(id: string, fence: number, wakeAt: number | undefined): ForgeErrorCode | undefined {
    const run = this.runs.get(id);
    if (run === undefined || run.fence !== fence) return 'lease_lost';
    if (run.until === undefined) {
      const hasEnded = run.state !== 'open' && run.state !== 'paused';
      return hasEnded ? undefined : 'lease_lost';
    }
    run.until = undefined;
    const unread = run.inbox.some(({ read, wakes }) => !read && wakes);
    const times = [
      ...run.timers.values(),
      ...(wakeAt === undefined ? [] : [wakeAt]),
      ...(unread ? [this.#now()] : []),
    ];
    const lives = run.state === 'open' || run.state === 'paused';
    run.wakeAt = lives && times.length > 0 ? Math.min(...times) : undefined;
    return undefined;
  }

  strike(
    id: string,
    fence: number,
    options: { readonly delay: number; readonly dead: boolean },
  ): ForgeErrorCode | undefined {
    if (!this.#holds(id, fence)) return 'lease_lost';
    const run = this.#get(id);
    run.until = undefined;
    run.strikes += 1;
    run.wakeAt = options.dead ? undefined : this.#now() + options.delay;
    if (options.dead) run.state = 'dead';
    return undefined;
  }

  #holds(id: string, fence: number): boolean {
    const run = this.runs.get(id);
    return run !== undefined && run.until !== undefined && run.fence === fence;
  }

  #get(id: string): ModelRun {
    const run = this.runs.get(id);
    if (run === undefined) throw new Error(`The model has no run ${id}.`);
    return run;
  }
}
