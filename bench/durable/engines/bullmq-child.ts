import { Queue, Worker } from 'bullmq';
import { stepsPerRun } from '../engine.ts';
import { obeyRuns } from '../obey-runs.ts';

const { hostname, port, password } = new URL(process.argv[2] ?? '');
const connection = { host: hostname, port: Number(port), password };
interface Step {
  readonly run: string;
  readonly number: number;
}
const options = { removeOnComplete: true };
const queue = new Queue<Step>('steps', { connection });
const waiting = new Map<string, (steps: number) => void>();
/** One job is one step; the next one is queued before this one counts as done. */
const worker = new Worker<Step>(
  'steps',
  async ({ data: { run, number } }) => {
    if (number < stepsPerRun) await queue.add('step', { run, number: number + 1 }, options);
    return `done ${number}`;
  },
  { connection, concurrency: 50 },
);
worker.on('completed', ({ data: { run, number } }) => {
  if (number < stepsPerRun) return;
  waiting.get(run)?.(number);
  waiting.delete(run);
});
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
let launched = 0;

obeyRuns({
  async runOne() {
    launched += 1;
    const run = `run-${launched}`;
    const ended = new Promise<number>((resolve) => waiting.set(run, resolve));
    await queue.add('step', { run, number: 1 }, options);
    return ended;
  },
  async close() {
    await worker.close();
    await queue.close();
  },
});
