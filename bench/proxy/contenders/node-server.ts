import { nextMessage, type Role, startModule } from '../child.ts';
import type { Middle } from '../middle.ts';
import { readUsage } from '../process-usage.ts';

/** Starts a server of the bench's own, which tells its port and obeys (see `obey-bench.ts`). */
export async function startNodeServer(options: {
  readonly file: URL;
  readonly args: readonly string[];
  readonly role?: Role;
}): Promise<Middle> {
  const child = await startModule({ role: 'middle', ...options });
  return {
    port: child.port,
    headers: {},
    usage: () => readUsage(child.pid),
    async collect() {
      const answer = nextMessage(child);
      child.process.send('collect');
      const told = await answer;
      return typeof told === 'object' && told !== null && 'heap' in told
        ? Number(told.heap)
        : Number.NaN;
    },
    stop: child.stop,
  };
}
