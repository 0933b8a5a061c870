import { fileURLToPath } from 'node:url';
import { type Child, nextMessage, startChild } from '../proxy/child.ts';
import type { RunningEngine } from './engine.ts';

/** Starts a module that calls `obeyRuns`, and gives it orders. */
export async function startEngine(options: {
  readonly file: URL;
  readonly args: readonly string[];
}): Promise<RunningEngine> {
  const child = startChild({
    command: process.execPath,
    args: [...nodeFlags(), fileURLToPath(options.file), ...options.args],
    role: 'anywhere',
    channel: true,
  });
  try {
    await answered(child);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    async run(order) {
      const answer = answered(child);
      child.process.send(order);
      const { milliseconds } = await answer;
      if (typeof milliseconds !== 'number') throw new Error('An engine did not say how long.');
      return milliseconds;
    },
    stop: child.stop,
  };
}

async function answered(child: Child): Promise<Readonly<Record<string, unknown>>> {
  const answer = await nextMessage(child);
  if (typeof answer !== 'object' || answer === null) throw new Error('An engine said nothing.');
  const said: Readonly<Record<string, unknown>> = { ...answer };
  if (said.failed !== undefined) throw new Error(String(said.failed));
  return said;
}

/** `FORGE_BENCH_NODE_FLAGS='--cpu-prof --cpu-prof-dir=…'` profiles every engine. */
function nodeFlags(): readonly string[] {
  const flags = process.env.FORGE_BENCH_NODE_FLAGS ?? '';
  return flags === '' ? [] : flags.split(' ');
}
