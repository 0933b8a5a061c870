import { parseArgs } from 'node:util';
import { serveWorkers } from '../../../packages/proxy/src/cluster/serve-workers.ts';
import { createProxy, type ProxyOptions } from '../../../packages/proxy/src/index.ts';
import { obeyBench } from '../obey-bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sessions: { type: 'boolean', default: false }, workers: { type: 'string' } },
});
const options: ProxyOptions = {
  backend: { url: positionals[0] ?? '' },
  port: 0,
  sessions: values.sessions,
};
const { port } =
  values.workers === undefined
    ? await createProxy(options)
    : await serveWorkers({ workers: Number(values.workers), options });
process.send?.({ port });
obeyBench();
