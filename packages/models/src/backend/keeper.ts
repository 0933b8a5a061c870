// The program of the process that looks after one backend. Its argument is the job file.
import { readFileSync } from 'node:fs';
import { keepBackend } from './keep-backend.ts';
import { keeperJobSchema } from './keeper-job.ts';

const [, , path = ''] = process.argv;
const job = keeperJobSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort(new Error('was asked to stop')));
}
await keepBackend({ job, signal: stop.signal });
// Pipes of processes that left the group on purpose must not keep it here.
process.exit();
