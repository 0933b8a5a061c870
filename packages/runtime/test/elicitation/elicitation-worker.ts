import { openStore } from '@forge/store';
import { createWorker } from '../../src/worker/create-worker.ts';
import { createElicitation } from './elicitation-agent.ts';

/** A worker in a process of its own, to be killed. */
const [, , file = '', folder = ''] = process.argv;
// Whoever started it is gone.
process.on('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1);

const store = await openStore(file);
const { model, agents } = await createElicitation(folder);
createWorker({ store, agents, model, leaseTtl: 2_000, pollEvery: 300 });
