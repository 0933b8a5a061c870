// A worker in a process of its own. main.ts starts it: node worker.ts <store> <payments> <clock offset>

import { createWorker } from '@forge/runtime';
import { openStore } from '@forge/store';
import { bookkeeper, invoiceAgent } from './agent.ts';

const [, , file = '', payments = '', offset = '0'] = process.argv;
const now = () => Date.now() + Number(offset);
const store = await openStore(file, { now });
createWorker({ store, agents: [invoiceAgent(payments)], model: bookkeeper, now });
