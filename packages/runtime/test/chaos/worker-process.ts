import { ForgeError, messageOf } from '@forge/core';
import { openStore, type Store } from '@forge/store';
import { openQueue } from '../../src/queue/open-queue.ts';
import type { StopPoint } from '../../src/session/session-host.ts';
import { createWorker } from '../../src/worker/create-worker.ts';
import { chaosAgents } from './chaos-agents.ts';
import { chaosModel } from './chaos-model.ts';
import { type Ack, type Execution, type Ledger, openLedger } from './ledger.ts';
import { type News, orderSchema, startSchema } from './worker-orders.ts';

/** A worker in a process of its own, to be killed. It is told what to do by `startWorker`. */
const start = startSchema.parse(JSON.parse(process.argv[2] ?? ''));
const tell = (news: News) => void process.send?.(news);
// Whoever started it is gone.
process.on('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);

let { offset } = start;
const now = () => Date.now() + offset;
const opened = await openStore(start.store, start.storeClock ? { now } : {});
const store = watched(opened, openLedger<Ack>(start.acks));
const problem = ({ what, error }: { readonly what: string; readonly error: unknown }) =>
  tell({ type: 'problem', what, message: messageOf(error) });
const queue =
  start.queue === undefined
    ? undefined
    : await openQueue(start.queue, { store, onProblem: problem });

const released = Promise.withResolvers<void>();
let passed = 0;
let hasHeld = false;
async function stopAt(point: StopPoint, run: string) {
  if (start.diesAt?.point === point) {
    passed += 1;
    if (passed === start.diesAt.times) {
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {}); // The signal is on its way.
    }
  }
  if (start.holdsAt !== point || hasHeld) return;
  hasHeld = true;
  tell({ type: 'held', point, run });
  await released.promise;
}

const agents = chaosAgents(openLedger<Execution>(start.ledger));
const worker = createWorker({
  store,
  agents: agents.filter(({ name }) => start.agents?.includes(name) ?? true),
  model: chaosModel,
  leaseTtl: start.leaseTtl,
  pollEvery: 1_000,
  concurrency: 10,
  // Nobody who is killed here is killed by a run.
  maxStrikes: 1_000,
  now,
  stopAt,
  onProblem: problem,
  ...(queue !== undefined && { queue }),
});

process.on('message', (message) => {
  const order = orderSchema.parse(message);
  switch (order.type) {
    case 'go':
      return released.resolve();
    case 'clock':
      offset = order.offset;
      return;
    case 'stop':
      return void end();
    default:
      return order satisfies never;
  }
});
tell({ type: 'ready' });

async function end() {
  await worker.stop();
  await queue?.close();
  await store.close();
  process.disconnect();
}

/** Writes down what the store acknowledged, so that it can be asked for afterwards. */
function watched(inner: Store, acks: Ledger<Ack>): Store {
  return {
    ...inner,
    async append(step) {
      try {
        const written = await inner.append(step);
        const types = step.happenings.map(({ type }) => type);
        const from = step.expectedSeq + 1;
        acks.write({ run: step.runId, from, types, pid: process.pid, at: Date.now() });
        return written;
      } catch (error) {
        const code = ForgeError.is(error) ? error.code : 'unknown';
        tell({ type: 'refused', run: step.runId, code });
        throw error;
      }
    },
  };
}
