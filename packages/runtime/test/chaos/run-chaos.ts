import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '@forge/store';
import { Seeded } from '@forge/store/testing';
import { createRuntime } from '../../src/control/create-runtime.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { type Checked, checkAll } from './check-all.ts';
import { emptyLedger } from './ledger.ts';
import { startWorker, type WorkerProcess } from './start-worker.ts';
import { takeovers } from './takeovers.ts';
import { Town } from './town.ts';
import { stopPoints, type WorkerStart } from './worker-orders.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly kills: number;
  /** Address of an empty store. */
  readonly store: string;
  readonly queue?: string;
  /** An empty folder for the ledgers. */
  readonly folder: string;
  /** Worker processes at a time. Default 3. */
  readonly workers?: number;
  /** Runs that are open at a time. Default 8. */
  readonly busy?: number;
  readonly leaseTtl?: number;
  /** False where the store goes by its own clock. */
  readonly storeClock?: boolean;
  /** Done to the world after so many deaths. */
  readonly disturbances?: readonly Disturbance[];
  /** Problems a worker may tell of. Default: none. */
  readonly allows?: RegExp;
  /** Milliseconds after which it is given up. Default 120,000. */
  readonly patience?: number;
}

export interface Disturbance {
  readonly name: string;
  readonly after: number;
  readonly strike: (world: World) => Promise<void>;
}

export interface World {
  /** Moves the clock of every process. */
  setClock(offset: number): void;
}

export interface ChaosReport extends Checked {
  readonly seed: number;
  readonly deaths: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly duration: number;
  /** Milliseconds from a death to the next step of a run it was in the middle of. */
  readonly takeovers: readonly number[];
}

/** Kills workers at random and at named points while a town works them, and then checks everything. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const {
    seed,
    kills,
    folder,
    workers = 3,
    busy = 8,
    leaseTtl = 1_000,
    storeClock = true,
  } = options;
  const files = { ledger: join(folder, 'ledger'), acks: join(folder, 'acks') };
  emptyLedger(files.ledger);
  emptyLedger(files.acks);
  const rng = new Seeded(seed);
  const begun = performance.now();
  let offset = 0;
  const now = () => Date.now() + offset;
  const store = await openStore(options.store, storeClock ? { now } : {});
  const queue = options.queue === undefined ? undefined : await openQueue(options.queue, { store });
  const runtime = createRuntime({ store, now, ...(queue !== undefined && { queue }) });
  const town = new Town({ store, runtime, rng: new Seeded(seed + 1) });
  const living = new Set<WorkerProcess>();
  const problems: string[] = [];
  const died = new Map<number, number>();
  const deaths: Record<string, number> = {};
  let reserved = 0;
  let dead = 0;
  const limit = AbortSignal.timeout(options.patience ?? 400_000);

  const start = (more: Partial<WorkerStart>) => {
    const shared = { store: options.store, ...files, leaseTtl, storeClock, offset };
    const queued = options.queue === undefined ? {} : { queue: options.queue };
    const worker = startWorker({ ...shared, ...queued, ...more }, (news, pid) => {
      if (news.type === 'problem') problems.push(`${pid}: ${news.what}: ${news.message}`);
    });
    living.add(worker);
    void worker.exited.then(() => {
      living.delete(worker);
      died.set(worker.pid, Date.now());
    });
    return worker;
  };
  const world: World = {
    setClock(ahead) {
      offset = ahead;
      for (const worker of living) worker.order({ type: 'clock', offset: ahead });
    },
  };
  /** One place for a worker: it dies, and another one takes the place. */
  const place = async () => {
    while (reserved < kills) {
      const point = reserved % 2 === 0 ? stopPoints[(reserved / 2) % stopPoints.length] : undefined;
      reserved += 1;
      const diesAt = point && { point, times: 1 + rng.below(8) };
      const worker = start(diesAt === undefined ? {} : { diesAt });
      await worker.ready.catch(() => {});
      if (diesAt === undefined) {
        await pause(20 + rng.below(400));
        worker.signal('SIGKILL');
      }
      const signal = await worker.exited;
      if (signal !== 'SIGKILL') problems.push(`${worker.pid}: it ended by itself (${signal})`);
      deaths[point ?? 'random'] = (deaths[point ?? 'random'] ?? 0) + 1;
      dead += 1;
    }
  };
  const disturb = async () => {
    for (const { name, after, strike } of options.disturbances ?? []) {
      while (dead < after) await pause(20, undefined, { signal: limit });
      await strike(world);
      deaths[name] = (deaths[name] ?? 0) + 1;
    }
  };
  try {
    await town.begin();
    const killing = Promise.all([disturb(), ...Array.from({ length: workers }, place)]);
    let isKilling = true;
    void killing
      .catch(() => {})
      .finally(() => {
        isKilling = false;
      });
    while (isKilling && !limit.aborted) {
      await town.keepBusy(busy);
      await pause(30);
    }
    limit.throwIfAborted();
    await killing;
    for (let more = 0; more < 2; more += 1) start({});
    await town.quiet(limit);
    const last = [...living];
    for (const worker of last) worker.order({ type: 'stop' });
    await Promise.all(last.map(({ exited }) => exited));
    const checked = await checkAll(store, town, files);
    const unexpected = problems.filter((problem) => !options.allows?.test(problem));
    const wrong = [...checked.wrong, ...unexpected];
    const duration = performance.now() - begun;
    return {
      ...checked,
      wrong,
      seed,
      deaths,
      problems,
      duration,
      takeovers: takeovers(checked.acks, died),
    };
  } catch (error) {
    const left = `open: ${town.open.join(' ')}; unanswered: ${town.unanswered().join(' ')}; problems: ${problems.join(' | ')}`;
    throw new Error(
      `Chaos with seed ${seed} after ${dead} deaths did not come to rest (${left}).`,
      { cause: error },
    );
  } finally {
    for (const worker of living) worker.signal('SIGKILL');
    await town.end();
    await queue?.close();
    await store.close();
  }
}
