import { parentPort, workerData } from 'node:worker_threads';
import { createProxy } from '../../src/index.ts';

/** A proxy in a thread, in front of the backend it is given. Says its port. */
const proxy = await createProxy({ backend: { url: String(workerData) }, port: 0 });
parentPort?.postMessage(proxy.port);
