import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeard } from './heard.ts';
import { createEnds, type QueueGround, type QueueMake } from './queue-make.ts';

/** What every make promises for the times when its server does not do its part. */
export function testOutages(dangers: QueueMake['dangers'], ground: () => QueueGround): void {
  const withEnds = createEnds(ground, 'outage');
  if (dangers.includes('away')) {
    test('goes on by itself after its server was away', async () => {
      await withEnds(async ({ open, problems }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe(heard.listener);
        await queue.publish('before');
        await heard.until((runIds) => runIds.length === 1);

        await ground().down();
        await queue.publish('lost');
        assert.ok(problems.some(({ what }) => what === 'publish'));
        const early = await open();
        const waits = early.publish('lost or not');

        await ground().up();
        await waits;
        // Given up as long as it was away; from some moment on they arrive, at both ends.
        for (const end of [queue, early]) {
          const id = `after-${heard.runIds.length}`;
          while (!heard.runIds.includes(id)) {
            await end.publish(id);
            await Promise.race([heard.until((runIds) => runIds.includes(id)), soon()]);
          }
        }
        assert.ok(problems.length < 50, 'an outage is told, not at every attempt');
      });
    });

    test('closes while its server is away', async () => {
      await withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe(heard.listener);
        await queue.publish('before');
        await heard.until((runIds) => runIds.length === 1);
        await ground().down();
        await queue.close();
        const early = await open();
        early.subscribe(heard.listener);
        await early.close();
        await ground().up();
      });
    });
  }

  if (dangers.includes('emptied')) {
    test('goes on when its server has lost everything', async () => {
      await withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe(heard.listener);
        await queue.publish('before');
        await heard.until((runIds) => runIds.length === 1);
        await queue.publish('run', { delay: 3_600_000 });
        await ground().empty();
        await queue.publish('run');
        await heard.until((runIds) => runIds.includes('run'));
      });
    });
  }
}

/** Long enough for a wake-up to arrive where it can. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}
