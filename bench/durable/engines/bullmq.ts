import { startRedis } from '../../../packages/runtime/src/testing/start-redis.ts';
import type { Engine } from '../engine.ts';
import { startEngine } from '../start-engine.ts';

const file = new URL('bullmq-child.ts', import.meta.url);

/** Jobs alone: no log, no memory of what a run has done, one job for each step. */
function bullMq(appendfsync: 'always' | 'everysec', ground: string): Engine {
  return {
    name: `BullMQ jobs, Redis ${appendfsync}`,
    ground,
    effectsPerStep: 1,
    async start() {
      const redis = await startRedis({ settings: { appendonly: 'yes', appendfsync } });
      try {
        const engine = await startEngine({ file, args: [redis.url] });
        const stop = async () => {
          await engine.stop();
          await redis.stop();
        };
        return { ...engine, stop };
      } catch (error) {
        await redis.stop();
        throw error;
      }
    },
  };
}

export const bullMqDurable = bullMq('always', 'appendonly, appendfsync=always');
export const bullMqUsual = bullMq('everysec', 'appendfsync=everysec: a power cut takes a second');
