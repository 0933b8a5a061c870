import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { performTool, type Tool } from '@forge/core';
import {
  createBubblewrapBackend,
  createProcessBackend,
  type Sandbox,
  type SandboxBackend,
} from '@forge/sandbox';
import { makeTestBackend } from '@forge/sandbox/testing';
import { createTools } from '@forge/tools';
import { spreadOf } from './harness/statistics.ts';
import type { LiveBench, TableResult } from './harness/table.ts';

const files = 100_000;
const folders = 500;
const atMost = 1.3;

/** Small files of words and numbers, made inside: one in five thousand has the needle. */
const grow = `
i=0; while [ $i -lt ${folders} ]; do mkdir -p tree/$((i / 50))/$i; i=$((i + 1)); done
awk 'BEGIN {
  for (n = 0; n < ${files}; n++) {
    d = n % ${folders}; file = "tree/" int(d / 50) "/" d "/file" n ".ts"
    for (line = 0; line < 20; line++) print "export const value" line " = compute(" n ", " line ");" > file
    if (n % 5000 == 0) print "const needle = " n ";" > file
    close(file)
  }
}'`;

const searches = [
  { name: '20 matches', pattern: 'needle' },
  { name: 'no match', pattern: 'thereisnosuchthing' },
  { name: 'a regular expression, 5 matches', pattern: String.raw`needle = \d{5};$` },
];

const limits = { memoryBytes: 4 * 1024 ** 3, diskBytes: 4 * 1024 ** 3, cpus: 2 };

/** What `search` costs beside `rg` alone on the same files in the same place. */
export const bench: LiveBench = {
  name: 'search',
  async *run({ quick }) {
    const backends = [
      createProcessBackend({ trusted: true }),
      createBubblewrapBackend(),
      await makeTestBackend(),
    ];
    try {
      for (const backend of backends) yield await searchCost(backend, quick ? 7 : 25);
    } finally {
      await Promise.all(backends.map((backend) => backend.close()));
    }
  },
};

async function searchCost(backend: SandboxBackend, rounds: number): Promise<TableResult> {
  const title = `Searching ${files.toLocaleString('en')} files in a sandbox: ${backend.name}`;
  const probe = await backend.probe();
  if (!probe.available) {
    const notes = [`Not measured: ${probe.problem} ${probe.fix}`];
    return { kind: 'table', title, head: ['search'], rows: [], notes };
  }
  const sandbox = await backend.start({ limits });
  const grown = await sandbox.exec({ argv: ['sh', '-c', grow] }).result;
  assert.equal(grown.exitCode, 0, new TextDecoder().decode(grown.stderr));
  const search = createTools({ sandbox }).find(({ spec }) => spec.name === 'search');
  assert.ok(search);
  const rows: string[][] = [];
  const data: unknown[] = [];
  for (const { name, pattern } of searches) {
    const times = { rg: [] as number[], tool: [] as number[] };
    await runRg(sandbox, pattern);
    await runTool(search, pattern);
    for (let round = 0; round < rounds; round++) {
      times.rg.push(await timed(() => runRg(sandbox, pattern)));
      times.tool.push(await timed(() => runTool(search, pattern)));
    }
    const ratio = spreadOf(times.tool.map((time, round) => time / (times.rg[round] ?? Number.NaN)));
    const [rg, tool] = [spreadOf(times.rg), spreadOf(times.tool)];
    data.push({ name, rg, tool, ratio });
    rows.push([
      name,
      `${rg.median.toFixed(0)} ms (${rg.p10.toFixed(0)}–${rg.p90.toFixed(0)})`,
      `${tool.median.toFixed(0)} ms (${tool.p10.toFixed(0)}–${tool.p90.toFixed(0)})`,
      `${ratio.median.toFixed(2)} (${ratio.p10.toFixed(2)}–${ratio.p90.toFixed(2)}) ×`,
      `≤ ${atMost} × ${ratio.median <= atMost ? 'met' : '**missed**'}`,
    ]);
  }
  await sandbox.stop();
  return {
    kind: 'table',
    title,
    head: ['search', 'rg alone (p10–p90)', '`search` (p10–p90)', 'against rg alone', 'target'],
    rows,
    notes: [
      'Both run in the same sandbox on the same files, in turn. rg alone prints lines with numbers.',
    ],
    data,
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function runRg(sandbox: Sandbox, pattern: string): Promise<void> {
  const { exitCode } = await sandbox.exec({ argv: ['rg', '-n', '-e', pattern, '.'] }).result;
  assert.ok(exitCode <= 1);
}

const context = {
  runId: 'bench',
  callId: 'call',
  idempotencyKey: 'key',
  signal: new AbortController().signal,
};

async function runTool(search: Tool, pattern: string): Promise<void> {
  const { outcome } = await performTool(search, { pattern }, context);
  assert.equal(outcome, 'ok');
}
