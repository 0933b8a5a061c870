import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { fillStore } from './cli/fill-store.ts';
import { type Spread, spreadOf } from './harness/statistics.ts';
import type { LiveBench, TableResult } from './harness/table.ts';

const forge = fileURLToPath(new URL('../packages/cli/bin/forge.js', import.meta.url));
const runs = 100_000;
const startAtMost = 1.5;
const statusAtMost = 2;

/** What the command costs before it does anything, and whether it cares how much was done before. */
export const bench: LiveBench = {
  name: 'cli',
  async *run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'forge-bench-cli-'));
    try {
      yield startCost(folder, quick ? 15 : 60);
      yield await statusCost(folder, quick ? 7 : 25);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function startCost(folder: string, rounds: number): TableResult {
  const home = homeIn(folder, 'start');
  const bare = () => run(['-e', '0'], home);
  const contenders = {
    'forge --version': () => run([forge, '--version'], home),
    'forge --help': () => run([forge, '--help'], home),
  };
  const base: number[] = [];
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round++) {
    const all = { 'node -e 0': bare, ...contenders };
    for (const [name, work] of Object.entries(all)) {
      const time = timed(work);
      if (round < 0) continue; // The first one fills the caches of the machine.
      if (work === bare) base.push(time);
      else times[name] = [...(times[name] ?? []), time];
    }
  }
  const rows = Object.entries(times).map(([name, sample]) => {
    const ratio = ratioOf(sample, base);
    const target = name === 'forge --version' ? aim(ratio, startAtMost) : '';
    return [name, inMs(spreadOf(sample)), inTimes(ratio), target];
  });
  return {
    kind: 'table',
    title: 'Starting the command',
    head: ['command', 'median (p10–p90)', 'against `node -e 0`', 'target'],
    rows: [['node -e 0', inMs(spreadOf(base)), '1', ''], ...rows],
    notes: [
      'Processes are started in turn, under the same Node.',
      'Under a Node older than 24 the launcher answers --version itself; for anything else it has to start Node 24, which costs one more start.',
    ],
    data: { base: spreadOf(base), times },
  };
}

async function statusCost(folder: string, rounds: number): Promise<TableResult> {
  const empty = homeIn(folder, 'empty');
  const full = homeIn(folder, 'full');
  const begun = performance.now();
  await fillStore(storeIn(full), { runs, project: 'full' });
  const filling = ((performance.now() - begun) / 1_000).toFixed(0);
  const status = (home: string) => () => run([forge, 'status', '--json'], home);
  const times = { empty: [] as number[], full: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const [first, second] = [timed(status(empty)), timed(status(full))];
    if (round < 0) continue;
    times.empty.push(first);
    times.full.push(second);
  }
  const ratio = ratioOf(times.full, times.empty);
  const count = runs.toLocaleString('en');
  return {
    kind: 'table',
    title: `\`forge status\` on a store with ${count} runs`,
    head: ['store', 'median (p10–p90)', 'against an empty one', 'target'],
    rows: [
      ['empty', inMs(spreadOf(times.empty)), '1', ''],
      [`${count} runs`, inMs(spreadOf(times.full)), inTimes(ratio), aim(ratio, statusAtMost)],
    ],
    notes: [
      `Whole processes, start included. Filling the store took ${filling} s: families of five runs, all ended but the last.`,
    ],
    data: times,
  };
}

/** A home with nothing in it, and a project of that name to stand in. */
function homeIn(folder: string, name: string): string {
  const home = join(folder, name);
  mkdirSync(dirname(storeIn(home)), { recursive: true });
  return home;
}

function storeIn(home: string): string {
  return join(home, '.local', 'state', 'forge', 'runs.db');
}

function run(args: readonly string[], home: string): void {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Round by round, so that a busy spell of the machine falls on both. */
function ratioOf(times: readonly number[], base: readonly number[]): Spread {
  return spreadOf(times.map((time, round) => time / (base[round] ?? Number.NaN)));
}

function inMs({ median, p10, p90 }: Spread): string {
  return `${median.toFixed(0)} ms (${p10.toFixed(0)}–${p90.toFixed(0)})`;
}

function inTimes({ median, p10, p90 }: Spread): string {
  return `${median.toFixed(2)} (${p10.toFixed(2)}–${p90.toFixed(2)}) ×`;
}

function aim({ median }: Spread, atMost: number): string {
  return `≤ ${atMost} × ${median <= atMost ? 'met' : '**missed**'}`;
}
