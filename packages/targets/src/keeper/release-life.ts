import { ForgeError, messageOf } from '@forge/core';
import { deployFailed, explainDisk } from '../deploy-failed.ts';
import { logTail } from '../files/log-tail.ts';
import { awaitHealthy } from '../health/await-healthy.ts';
import { sleep } from '../sleep.ts';
import { freePort } from './free-port.ts';
import type { ReleaseRecord, ReleaseSpec } from './keeper-state.ts';
import { endGroup } from './process-group.ts';
import { type ReleaseProcess, spawnRelease } from './release-process.ts';

const shownLines = 20;
const mostDelayMs = 30_000;
/** One that ran for so long may die again from the beginning. */
const steadyMs = 60_000;

interface LifeOptions {
  readonly record: ReleaseRecord;
  readonly mark: string;
  readonly log: string;
  readonly closing: AbortSignal;
  /** Only the one with the traffic is started again. */
  readonly isLive: () => boolean;
  readonly changed: (how: string | undefined) => void;
}

/** One release while it is kept: started, proved healthy, started again when it dies, ended. */
export class ReleaseLife {
  readonly #options: LifeOptions;
  #record: ReleaseRecord;
  #process: ReleaseProcess | undefined;
  #isTaken = false;
  #reviving: AbortController | undefined;
  #inRow = 0;
  #upSince = 0;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#record = options.record;
  }

  get id(): string {
    return this.#record.spec.id;
  }
  get mark(): string {
    return this.#options.mark;
  }
  get record(): ReleaseRecord {
    return this.#record;
  }
  get port(): number {
    return this.#record.port;
  }
  get graceMs(): number {
    return this.#record.spec.stopGraceMs;
  }
  /** It runs and was proved healthy, or is somebody else's to run. */
  get isUp(): boolean {
    const { runner } = this.#record.spec;
    return runner.type === 'address'
      ? this.#isTaken
      : this.#process !== undefined && this.#record.phase === 'running';
  }

  /** False if somebody else runs it elsewhere by now. */
  listensFor({ runner }: ReleaseSpec): boolean {
    return runner.type === 'process' || runner.port === this.port;
  }

  /** Goes on with one that runs already. */
  take(running: ReleaseProcess | undefined): void {
    this.#isTaken = true;
    this.#upSince = Date.now();
    if (running !== undefined) this.#watch(running);
  }

  /** Starts it on a port nobody uses. `deploy_failed` if it cannot be run. */
  async start(): Promise<void> {
    const { runner } = this.#record.spec;
    if (runner.type === 'address') return;
    const port = await freePort();
    // Killed before the next change is written: what was started is found by its mark.
    this.#change({ port });
    const env = { ...runner.env, PORT: String(port), HOST: '127.0.0.1' };
    const { mark, log } = this.#options;
    try {
      const started = await spawnRelease({ ...runner, env, mark, log });
      this.#watch(started);
      this.#change({ process: started.identity });
    } catch (error) {
      const failure = explainDisk(error, log);
      if (failure !== error) throw failure;
      const [program = ''] = runner.command;
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      const why = missing ? 'there is no such program' : messageOf(error);
      throw deployFailed(`The start command "${program}" could not be run: ${why}.`, {
        cause: error,
      });
    }
  }

  /** Resolves with what was asked and answered; `deploy_failed` if it dies or the time is over. */
  async becomesHealthy(signal: AbortSignal): Promise<string> {
    const { health } = this.#record.spec;
    const died = new AbortController();
    const watched = this.#process;
    void watched?.ended.then((how) => died.abort(how));
    const base = `http://127.0.0.1:${this.port}`;
    try {
      const over = AbortSignal.any([signal, died.signal]);
      const { healthy, report } = await awaitHealthy({ base, health, signal: over });
      if (!healthy) {
        const told = watched === undefined ? '' : ` It was told PORT=${this.port}, HOST=127.0.0.1.`;
        throw this.#failed(`${report}${told}`);
      }
      over.throwIfAborted();
      this.#upSince = Date.now();
      this.#change({ phase: 'running', failure: undefined });
      this.#isTaken = true;
      return report;
    } catch (error) {
      if (died.signal.aborted && !signal.aborted) {
        throw this.#failed(`The release ${String(died.signal.reason)} before it was healthy.`);
      }
      throw error;
    }
  }

  /** Tries to get it back, with growing pauses, as often as its spec allows. */
  revive(how: string): void {
    if (this.#reviving !== undefined) return;
    const stop = new AbortController();
    this.#reviving = stop;
    const signal = AbortSignal.any([stop.signal, this.#options.closing]);
    void this.#revive(how, signal)
      .catch(() => {})
      .finally(() => {
        if (this.#reviving === stop) this.#reviving = undefined;
      });
  }

  /** No more tries. */
  letBe(): void {
    this.#reviving?.abort(new ForgeError('cancelled', 'It is not needed any more.'));
    this.#reviving = undefined;
  }

  /** Ends its processes; whoever runs it otherwise ends it otherwise. */
  async end(): Promise<void> {
    this.letBe();
    this.#isTaken = false;
    const running = this.#process;
    this.#process = undefined;
    if (this.#record.spec.runner.type === 'process') {
      await endGroup({ group: running?.pid, mark: this.mark, graceMs: this.graceMs });
    }
    this.#change({ phase: 'stopped', process: undefined });
  }

  async #revive(first: string, signal: AbortSignal): Promise<void> {
    const { restarts } = this.#record.spec;
    for (let how = first; ; ) {
      if (Date.now() - this.#upSince >= steadyMs && this.#upSince > 0) this.#inRow = 0;
      this.#upSince = 0;
      this.#inRow += 1;
      if (this.#inRow > restarts.attempts) {
        const times = `${restarts.attempts} restart${restarts.attempts === 1 ? '' : 's'}`;
        const failure = this.#failed(`The release ${how}; given up after ${times} in a row.`);
        this.#change({ phase: 'crash_loop', failure: failure.message });
        this.#options.changed('crashed again and again and was given up');
        return;
      }
      this.#change({
        ...{ phase: 'restarting', failure: `The release ${how}.`, process: undefined },
        restarts: this.#record.restarts + 1,
      });
      this.#options.changed(`${how} and is being started again`);
      await sleep(Math.min(mostDelayMs, restarts.firstDelayMs * 2 ** (this.#inRow - 1)), signal);
      try {
        await endGroup({ group: undefined, mark: this.mark, graceMs: 0 });
        await this.start();
        this.#options.changed('is being started again');
        await this.becomesHealthy(signal);
        this.#options.changed(undefined);
        return;
      } catch (error) {
        const running = this.#process;
        this.#process = undefined;
        await endGroup({ group: running?.pid, mark: this.mark, graceMs: this.graceMs });
        signal.throwIfAborted();
        how = `did not come back: ${messageOf(error).split('\n')[0]}`;
      }
    }
  }

  #watch(running: ReleaseProcess): void {
    this.#process = running;
    void running.ended.then((how) => {
      if (this.#process !== running || this.#options.closing.aborted) return;
      this.#process = undefined;
      // While it is being started, whoever starts it says what happened.
      if (this.#record.phase !== 'running') return;
      if (this.#options.isLive()) return this.revive(how);
      this.#change({ phase: 'stopped', process: undefined, failure: `The release ${how}.` });
      this.#options.changed(how);
    });
  }

  #failed(what: string): ForgeError {
    return deployFailed(what, { log: logTail(this.#options.log, shownLines) });
  }

  #change(change: Partial<ReleaseRecord>): void {
    this.#record = { ...this.#record, ...change };
  }
}
