import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import {
  createBubblewrapBackend,
  createDockerBackend,
  createPool,
  createProcessBackend,
  type Sandbox,
} from '@forge/sandbox';
import { startDocker, type TestDocker } from '@forge/sandbox/testing';
import { formatFigure } from './harness/markdown.ts';
import { quantile } from './harness/statistics.ts';
import type { LiveBench, TableResult } from './harness/table.ts';

const run = promisify(execFile);

interface Contender {
  readonly name: string;
  /** Rounds of this one for each round of the bench. */
  readonly times: number;
  measure(): Promise<unknown>;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The same command, every way there is to run it. */
async function contenders({ docker, socketPath, testImage }: TestDocker) {
  const image = await testImage();
  const backend = createDockerBackend({ socketPath, image });
  const bubblewrap = createBubblewrapBackend();
  const trusted = createProcessBackend({ trusted: true });
  const pool = createPool(createDockerBackend({ socketPath, image }), { size: 1 });
  const warm = await backend.start();
  const wrapped = await bubblewrap.start();
  const plain = await trusted.start();
  const filters = { label: [`forge.sandbox=${warm.id}`] };
  const [found] = await docker.listContainers({ filters });
  const container = docker.getContainer(found?.Id ?? '');
  const command = (sandbox: Sandbox) => sandbox.exec({ argv: ['true'] }).result;

  const list: Contender[] = [
    {
      name: 'Docker, a container for the command',
      times: 1,
      measure: async () => {
        const own = await backend.start();
        await command(own);
        void own.stop();
      },
    },
    {
      name: 'Docker, a container from the pool',
      times: 1,
      measure: async () => {
        const own = await pool.start();
        await command(own);
        void own.stop();
      },
    },
    {
      name: 'Docker, `docker exec` for the command',
      times: 3,
      measure: async () => {
        const exec = await container.exec({ Cmd: ['true'], AttachStdout: true });
        const stream = await exec.start({});
        await new Promise((resolve) => stream.resume().once('end', resolve));
        await exec.inspect();
      },
    },
    { name: 'Docker, warm', times: 20, measure: () => command(warm) },
    {
      name: 'bubblewrap, a sandbox for the command',
      times: 2,
      measure: async () => {
        const own = await bubblewrap.start();
        await command(own);
        void own.stop();
      },
    },
    { name: 'bubblewrap, warm', times: 20, measure: () => command(wrapped) },
    { name: 'process, no sandbox', times: 20, measure: () => command(plain) },
    { name: 'a plain child process', times: 20, measure: () => run('true') },
  ];
  const close = async () => {
    await Promise.all([pool, backend, bubblewrap, trusted].map((each) => each.close()));
  };
  return { list, pool, close };
}

const names = {
  cold: 'Docker, a container for the command',
  warm: 'Docker, warm',
  plain: 'a plain child process',
} as const;

function table(samples: ReadonlyMap<string, readonly number[]>): TableResult {
  const median = (name: string) => quantile([...(samples.get(name) ?? [])].sort(byNumber), 0.5);
  const target = (name: string) => {
    if (name !== names.warm) return '';
    const cold = median(names.warm) / median(names.cold);
    const plain = median(names.warm) / median(names.plain);
    const says = (is: boolean) => (is ? 'met' : '**missed**');
    return `≤ 1/20 of a cold start: ${says(cold <= 1 / 20)}; ≤ 3 × a child process: ${says(plain <= 3)}`;
  };
  const rows = [...samples].map(([name, sample]) => {
    const sorted = [...sample].sort(byNumber);
    return [
      name,
      ...[0, 0.5, 0.95].map((share) => formatFigure(quantile(sorted, share))),
      `${formatFigure(median(name) / median(names.plain))} ×`,
      target(name),
    ];
  });
  return {
    kind: 'table',
    title: 'One command (`true`), from asking to its result, ms',
    head: ['how', 'min', 'p50', 'p95', 'p50 against a child process', 'target'],
    rows,
    notes: ['All ways take turns, so that each meets the same machine.'],
    data: Object.fromEntries(samples),
  };
}

const byNumber = (a: number, b: number) => a - b;

export const bench: LiveBench = {
  name: 'sandbox',
  async *run({ quick }) {
    const docker = await startDocker();
    const { list, pool, close } = await contenders(docker);
    try {
      const samples = new Map<string, number[]>(list.map(({ name }) => [name, []]));
      for (let round = 0; round < (quick ? 5 : 30); round++) {
        for (const { name, times, measure } of list) {
          await pool.filled();
          for (let time = 0; time < times; time++) samples.get(name)?.push(await timed(measure));
        }
      }
      yield table(samples);
    } finally {
      await close();
      docker.stop();
    }
  },
};
