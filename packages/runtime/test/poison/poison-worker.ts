import { setTimeout as pause } from 'node:timers/promises';
import { defineAgent, defineTool, type Model } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import { openStore } from '@forge/store';
import { createWorker } from '../../src/worker/create-worker.ts';

/** A worker in a process of its own. One of the agents it knows has a tool that kills it. */
const store = await openStore(process.argv[2] ?? '');
// Whoever started it is gone.
process.on('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);

const kill = defineTool({
  name: 'kill',
  description: 'Kills the worker',
  input: { type: 'object' },
  // So that the next worker tries again.
  idempotent: true,
  run: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {}); // The signal is on its way.
  },
});
const model: Model = {
  id: 'scripted',
  async complete({ tools = [] }, { signal }) {
    if (tools.length > 0) return calls(['kill', {}, 'k']);
    // Long enough to be in the middle of it when the other one kills.
    await pause(100, undefined, { signal });
    return says('Done.');
  },
};
const agents = [defineAgent({ name: 'innocent' }), defineAgent({ name: 'poison', tools: [kill] })];
const worker = createWorker({
  store,
  agents,
  model,
  leaseTtl: 2_000,
  pollEvery: 300,
  maxStrikes: 2,
});

process.on('message', async () => {
  await worker.stop();
  await store.close();
  process.disconnect();
});
