// An assistant asks for approval, its process is killed, and the next day it goes on where it was.
// Run it: npx node examples/approval-survives/main.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime } from '@forge/runtime';
import { openStore } from '@forge/store';

const day = 24 * 60 * 60 * 1_000;
const folder = mkdtempSync(join(tmpdir(), 'forge-approval-'));
const file = join(folder, 'runs.db');
const payments = join(folder, 'payments');
let offset = 0;
const now = () => Date.now() + offset;

function startWorker(): ChildProcess {
  const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
  const args = [program, file, payments, String(offset)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

async function kill(worker: ChildProcess) {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

const store = await openStore(file, { now });
const runtime = createRuntime({ store, now });

console.log('Today');
const first = startWorker();
const { id } = await runtime.launch('invoices', 'Pay the invoice of the print shop.');
console.log('  you:       Pay the invoice of the print shop.');
const { status } = await runtime.settled(id);
const { items } = await store.approvals({ runId: id, state: 'pending' });
const [approval] = items;
if (approval === undefined) throw new Error(`Nobody was asked: the run is ${status}.`);
console.log(`  assistant: may I ${approval.tool}(${JSON.stringify(approval.proposed)})?`);
await kill(first);
console.log('  kill -9:   the worker is gone, and nothing is in memory any more.');

console.log('The next day');
offset = day;
await runtime.decide({
  id: approval.id,
  approved: true,
  by: 'you',
  args: { number: 'A-17', amount: 450 },
});
console.log('  you:       yes, but only 450. (No worker is there to hear it.)');
const second = startWorker();
const { state } = await runtime.ended(id);
await kill(second);
const made = readFileSync(payments, 'utf8').trim().split('\n');
console.log(
  `  paid:      ${made.map((line) => line.split(' ').slice(0, 2).join(', ')).join(' and ')}`,
);
console.log(`  assistant: ${state.output?.text}`);

const events = await store.events(id);
const times = events.flatMap((event) => ('at' in event ? [event.at] : []));
const took = Math.round((Math.max(...times) - Math.min(...times)) / day);
console.log(`  log:       ${events.length} events over ${took} day, ${made.length} payment.`);
await store.close();
rmSync(folder, { recursive: true, force: true });
