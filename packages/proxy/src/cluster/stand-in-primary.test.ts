import { serveWorkers } from './serve-workers.ts';

/** A primary of its own, for a test that kills it. Tells its address, and then when somebody waits. */
if (process.argv[2] === 'serve') {
  const { url, state } = await serveWorkers({
    workers: 2,
    entry: new URL('./stand-in-worker.test.ts', import.meta.url),
    options: { backend: { url: 'http://127.0.0.1:1' }, port: 0, serialize: true },
  });
  process.send?.(url);
  while (state.slot?.waiting !== 1) await new Promise(setImmediate);
  process.send?.('waiting');
}
