import { type Child, nextMessage, startModule } from './child.ts';
import type { LoadAnswer, LoadOrder, LoadResult } from './load-order.ts';
import type { Middle } from './middle.ts';
import type { Usage } from './process-usage.ts';

/** A load generator under orders. */
export interface LoadDriver {
  readonly pid: number;
  /**
   * Opens connections, lets `before` requests go uncounted, and counts until the time or the
   * requests are over. What the middle used is read right before and right after.
   */
  run(options: RunOptions): Promise<RunResult>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly middle: Middle;
  readonly workload: string;
  readonly connections: number;
  readonly milliseconds: number;
  readonly requests?: number;
}

export interface RunResult extends LoadResult {
  /** Processor microseconds of the middle per request; undefined with nothing in the middle. */
  readonly cpu: number | undefined;
  /** Bytes the middle holds afterwards. */
  readonly rss: number | undefined;
}

export async function startLoad(): Promise<LoadDriver> {
  const child = await startModule({ file: new URL('load.ts', import.meta.url), role: 'load' });
  return {
    pid: child.pid,
    async run({ middle, workload, connections, milliseconds, requests = 1e9 }) {
      const { port, headers } = middle;
      await order(child, { type: 'open', port, workload, connections, headers });
      try {
        const before = middle.usage?.();
        const answer = await order(child, { type: 'run', milliseconds, requests });
        const after = middle.usage?.();
        if (answer.type !== 'ran') throw new Error(`The load answered ${answer.type} to run.`);
        return { ...answer.result, ...spent(before, after, answer.result.requests) };
      } finally {
        await order(child, { type: 'close' });
      }
    },
    stop: child.stop,
  };
}

function spent(before: Usage | undefined, after: Usage | undefined, requests: number) {
  if (before === undefined || after === undefined) return { cpu: undefined, rss: undefined };
  return { cpu: (after.cpu - before.cpu) / 1e3 / requests, rss: after.rss };
}

async function order(child: Child, message: LoadOrder): Promise<LoadAnswer> {
  const answer = nextMessage(child);
  child.process.send(message);
  const value = await answer;
  if (!isAnswer(value)) throw new Error(`The load answered ${JSON.stringify(value)}.`);
  if (value.type === 'failed') throw new Error(`The load failed: ${value.fault}`);
  return value;
}

/** Both ends are this bench at this commit; the tag is enough to tell the answers apart. */
function isAnswer(value: unknown): value is LoadAnswer {
  return typeof value === 'object' && value !== null && 'type' in value;
}
