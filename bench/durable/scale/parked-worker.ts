import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Child, nextMessage, startChild } from '../../proxy/child.ts';

export type ParkedOrder =
  | { readonly type: 'park'; readonly count: number }
  | {
      readonly type: 'wake';
      readonly count: number;
      readonly among: number;
      readonly round: number;
    }
  | { readonly type: 'rest' };

/** A worker in a process of its own, on a store with runs that wait for somebody to speak. */
export interface ParkedWorker {
  /** Launches runs and waits until all of them wait. */
  park(count: number): Promise<void>;
  /** Milliseconds from a message to the end of the turn, one run after the other. */
  wake(options: { count: number; among: number; round: number }): Promise<readonly number[]>;
  /** Resident bytes when nothing is to be done. */
  rss(): Promise<number>;
  stop(): Promise<void>;
}

const answerSchema = z.object({ value: z.unknown().optional(), failed: z.string().optional() });

export async function startParkedWorker(url: string): Promise<ParkedWorker> {
  const file = fileURLToPath(new URL('parked-child.ts', import.meta.url));
  const child = startChild({
    command: process.execPath,
    args: ['--expose-gc', file, url],
    role: 'anywhere',
    channel: true,
  });
  await answered(child);
  const order = (message: ParkedOrder) => {
    const answer = answered(child);
    child.process.send(message);
    return answer;
  };
  return {
    park: async (count) => {
      await order({ type: 'park', count });
    },
    wake: async (options) => z.array(z.number()).parse(await order({ type: 'wake', ...options })),
    rss: async () => z.number().parse(await order({ type: 'rest' })),
    stop: child.stop,
  };
}

async function answered(child: Child): Promise<unknown> {
  const { value, failed } = answerSchema.parse(await nextMessage(child));
  if (failed !== undefined) throw new Error(failed);
  return value;
}
