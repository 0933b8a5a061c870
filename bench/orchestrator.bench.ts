import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { createDockerBackend, createProcessBackend, type SandboxBackend } from '@forge/sandbox';
import { startOrchestrator } from '@forge/sandbox/orchestrator';
import { createRemoteBackend } from '@forge/sandbox/remote';
import { startDocker } from '@forge/sandbox/testing';
import { spreadOf } from './harness/statistics.ts';
import type { LiveBench, TableResult } from './harness/table.ts';

const atMost = 2;
const token = 'a token that only this bench knows';

/** What a command costs through an orchestrator on this machine, beside the same sandbox reached directly. */
export const bench: LiveBench = {
  name: 'orchestrator',
  async *run({ quick }) {
    const rounds = quick ? 60 : 400;
    const docker = await startDocker();
    try {
      const image = await docker.testImage();
      const { socketPath } = docker;
      yield await compare(createDockerBackend({ socketPath, image }), rounds);
    } finally {
      docker.stop();
    }
    yield await compare(createProcessBackend({ trusted: true }), rounds);
  },
};

async function compare(backend: SandboxBackend, rounds: number): Promise<TableResult> {
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token });
  const remote = createRemoteBackend({ address: orchestrator.address, token });
  try {
    const sandboxes = [await backend.start(), await remote.start()] as const;
    const samples: [number[], number[]] = [[], []];
    // Turn by turn, so that both meet the same noise.
    for (let round = -20; round < rounds; round += 1) {
      for (const [index, sandbox] of sandboxes.entries()) {
        const start = performance.now();
        const { exitCode } = await sandbox.exec({ argv: ['true'] }).result;
        assert.equal(exitCode, 0);
        if (round >= 0) samples[index]?.push(performance.now() - start);
      }
    }
    const [direct, through] = samples.map((sample) => spreadOf(sample));
    assert.ok(direct && through);
    const ratio = through.median / direct.median;
    const row = (name: string, { median, p10, p90 }: typeof direct, times: string) => [
      ...[name, median.toFixed(2), `${p10.toFixed(2)}–${p90.toFixed(2)}`, times],
    ];
    return {
      kind: 'table',
      title: `One command through an orchestrator: ${backend.name}`,
      head: ['way', 'median ms', 'p10–p90', 'ratio'],
      rows: [row('direct', direct, '1.00'), row('orchestrator', through, ratio.toFixed(2))],
      notes: [`At most ${atMost} × direct: ${ratio <= atMost ? 'held' : 'NOT HELD'}.`],
      data: { direct, through, ratio },
    };
  } finally {
    await remote.close();
    await orchestrator.close();
    await backend.close();
  }
}
