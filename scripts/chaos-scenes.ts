import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@forge/store/testing';
import { startRedis } from '../packages/runtime/src/testing/start-redis.ts';
import {
  type ChaosReport,
  type Disturbance,
  runChaos,
} from '../packages/runtime/test/chaos/run-chaos.ts';
import { mountSmallDisk } from './chaos-disk.ts';

interface Scene {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder. */
  readonly folder: string;
}

/** Undefined where the machine does not allow it. */
type Play = (scene: Scene) => Promise<ChaosReport | undefined>;

const minute = 60_000;

/** Generous: it is only there to end a run that hangs. */
const patienceFor = (kills: number) => 5 * minute + kills * 4_000;

/** One file, many processes; the clock jumps ten minutes ahead and three seconds back. */
const sqlite: Play = ({ kills, seed, folder }) => {
  const at = (share: number) => Math.floor(kills * share);
  const disturbances: Disturbance[] = [
    { name: 'clock ahead', after: at(0.3), strike: async (world) => world.setClock(10 * minute) },
    {
      name: 'clock back',
      after: at(0.6),
      strike: async (world) => world.setClock(10 * minute - 3_000),
    },
  ];
  const store = join(folder, 'store.db');
  return runChaos({ kills, seed, folder, store, disturbances, patience: patienceFor(kills) });
};

/** Redis is emptied, restarted and away; PostgreSQL crashes and is restarted; clocks of workers jump. */
const postgres: Play = async ({ kills, seed, folder }) => {
  const server = await startPostgres();
  const redis = await startRedis();
  const at = (share: number) => Math.floor(kills * share);
  const disturbances: Disturbance[] = [
    { name: 'Redis emptied', after: at(0.15), strike: () => redis.flush() },
    { name: 'PostgreSQL crashed', after: at(0.3), strike: () => server.restart('immediate') },
    { name: 'Redis restarted', after: at(0.4), strike: () => redis.restart() },
    { name: 'PostgreSQL restarted', after: at(0.5), strike: () => server.restart('fast') },
    { name: 'Redis gone', after: at(0.6), strike: () => redis.down() },
    { name: 'clock ahead', after: at(0.7), strike: async (world) => world.setClock(10 * minute) },
    { name: 'clock back', after: at(0.8), strike: async (world) => world.setClock(-10 * minute) },
    { name: 'Redis back', after: at(0.9), strike: () => redis.up() },
  ];
  try {
    return await runChaos({
      kills,
      seed,
      folder,
      store: await server.createDatabase(),
      queue: redis.url,
      storeClock: false,
      disturbances,
      allows: /./, // Workers tell when a server is away. What counts is what comes of it.
      patience: patienceFor(kills),
    });
  } finally {
    await redis.stop();
    await server.stop();
  }
};

/** The disk is full for a while, twice. */
const disk: Play = async ({ kills, seed, folder }) => {
  const small = mountSmallDisk(join(folder, 'disk'), '24m');
  if (small === undefined) return undefined;
  const few = Math.min(kills, 20);
  const fill = (name: string, share: number): Disturbance => ({
    name,
    after: Math.floor(few * share),
    strike: async () => {
      small.fill();
      await pause(4_000);
      small.empty();
    },
  });
  try {
    return await runChaos({
      kills: few,
      seed,
      folder,
      store: join(small.folder, 'store.db'),
      disturbances: [fill('disk full', 0.3), fill('disk full again', 0.7)],
      allows: /full|disk|store|claim|heartbeat|ended by itself/i,
      patience: patienceFor(few),
    });
  } finally {
    small.unmount();
  }
};

export const scenes: Readonly<Record<string, Play>> = { sqlite, postgres, disk };
