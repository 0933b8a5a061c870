import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ChaosReport } from '../packages/runtime/test/chaos/run-chaos.ts';
import { scenes } from './chaos-scenes.ts';

/**
 * Kills workers, restarts databases, empties queues, moves clocks and fills disks while runs are
 * under way, and then checks that nothing was lost and nothing done twice.
 *
 *     npm run chaos
 *     npm run chaos -- --only sqlite --kills 50 --seed 7
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '20261115' },
    only: { type: 'string' },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
if (!(kills >= 1) || !Number.isSafeInteger(seed)) {
  throw new Error('--kills must be a number of at least 1, --seed a whole number.');
}
const chosen = Object.entries(scenes).filter(([name]) => name === (values.only ?? name));
if (chosen.length === 0) {
  throw new Error(`--only takes one of: ${Object.keys(scenes).join(', ')}.`);
}

for (const [name, play] of chosen) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-chaos-'));
  try {
    const report = await play({ kills, seed, folder });
    if (report === undefined)
      console.log(`${name}: cannot be played here (it needs to mount a tmpfs).`);
    else show(name, report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function show(name: string, report: ChaosReport) {
  const { takeovers } = report;
  const middle = takeovers[Math.floor(takeovers.length / 2)] ?? 0;
  console.log(`
${name} (seed ${report.seed}): ${report.wrong.length === 0 ? 'all is well' : 'FAULTS'}
  what happened       ${Object.entries(report.deaths)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ')}
  runs                ${report.runs}, ${report.events} events
  tools run           ${report.executions}, of which safe repeats ${report.repeated}
  calls interrupted   ${report.interrupted}
  runs taken up       ${report.resumed}
  takeover            ${middle} ms in the middle, ${takeovers.at(-1) ?? 0} ms at most
  problems told       ${report.problems.length}
  took                ${(report.duration / 1_000).toFixed(0)} s`);
  const kinds = Map.groupBy(report.problems, (problem) =>
    problem.replace(/^\d+: /, '').slice(0, 150),
  );
  for (const [kind, { length }] of kinds) console.log(`    ${length} × ${kind}`);
  for (const fault of report.wrong) console.error(`  FAULT ${fault}`);
  if (report.wrong.length > 0) process.exitCode = 1;
}
