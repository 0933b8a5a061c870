import { createProxy } from '../create-proxy.ts';
import { runWorker } from './run-worker.ts';

/** The program of a worker of `forge proxy --workers`. */
await runWorker(createProxy);
