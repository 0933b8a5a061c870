import cluster from 'node:cluster';
import type { RunningProxy } from '../create-proxy.ts';
import type { ProxyOptions } from '../options.ts';
import type { SharedState } from '../shared-state.ts';
import { type FromPrimary, type FromWorker, fromPrimarySchema } from './messages.ts';
import { portToPrimary } from './port.ts';
import { createWorkerState, type WorkerState } from './worker-state.ts';

/** For requests under way when the primary is gone: time to hear that they failed. */
const lastGrace = 1_000;
const lastLimit = 3_000;

/**
 * The life of a worker: hears what to do from the primary, takes requests, and ends when it is
 * told to, gets SIGTERM, or the primary is gone. SIGINT is left to the primary, as a terminal
 * sends it to both. Resolves when it takes requests, and ends the process if it cannot.
 */
export async function runWorker(
  start: (options: ProxyOptions, state: SharedState) => Promise<RunningProxy>,
): Promise<void> {
  const port = portToPrimary<FromWorker>();
  const orders = Promise.withResolvers<Extract<FromPrimary, { type: 'start' }>>();
  const running: { state?: WorkerState; proxy?: RunningProxy } = {};
  let isEnding = false;

  const end = async ({ code, grace }: { code: number; grace: number }) => {
    if (isEnding) return;
    isEnding = true;
    await running.proxy?.close({ grace });
    await running.state?.close();
    process.exit(code);
  };
  port.onMessage((raw) => {
    const message = fromPrimarySchema.parse(raw);
    if (message.type === 'start') orders.resolve(message);
    else if (message.type === 'stop') void end({ code: 0, grace: message.grace });
    else running.state?.receive(message);
  });
  cluster.worker?.once('disconnect', () => {
    // Else the process would end at once, with clients left without a word.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    running.state?.lose();
    setTimeout(() => process.exit(1), lastLimit).unref();
    void end({ code: 1, grace: lastGrace });
  });
  const onBug = (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    void port.send({ type: 'bug', message, ...(stack !== undefined && { stack }) });
  };
  process.on('SIGINT', () => {});
  void port.send({ type: 'hello' });

  const { options, rules, grace } = await orders.promise;
  process.on('SIGTERM', () => void end({ code: 0, grace }));
  running.state = createWorkerState({ port, options, rules });
  try {
    running.proxy = await start({ ...options, onBug }, running.state);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await port.send({ type: 'failed', message });
    process.exit(1);
  }
  await port.send({ type: 'listening', url: running.proxy.url, port: running.proxy.port });
}
