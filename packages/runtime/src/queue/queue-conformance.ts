import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ForgeError } from '@forge/core';
import { createHeard } from './heard.ts';
import { createEnds, type QueueGround, type QueueMake } from './queue-make.ts';
import { testOutages } from './queue-outages.ts';

/** What every make promises. */
export function testQueue({ name, dangers, start }: QueueMake): void {
  const hasServer = dangers.includes('away');
  describe(`queue: ${name}`, { timeout: 600_000 }, () => {
    let ground: QueueGround;
    before(async () => {
      ground = await start();
    });
    after(() => ground.stop());

    const withEnds = createEnds(() => ground);

    test('carries a wake-up, published before or while somebody listens', () =>
      withEnds(async ({ open, problems }) => {
        const queue = await open();
        const heard = createHeard();
        await queue.publish('before');
        queue.subscribe(heard.listener);
        await heard.until((runIds) => runIds.includes('before'));
        await queue.publish('while');
        await heard.until((runIds) => runIds.includes('while'));
        assert.deepEqual(heard.runIds, ['before', 'while']);
        assert.deepEqual(problems, []);
      }));

    test('carries any id as it is', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        const ids = ['a:b', 'a:b:c', '42', '0', 'x/y z', '{k}', 'Grüße ✓', '%3A', "'; --", '@a'];
        queue.subscribe(heard.listener);
        await Promise.all(ids.map((id) => queue.publish(id)));
        await heard.until((runIds) => runIds.length === ids.length);
        assert.deepEqual(heard.runIds.toSorted(), ids.toSorted());
      }));

    test('gives each wake-up to one of its subscribers, and to all of them in turn', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const all = createHeard();
        const [first, second] = [createHeard(), createHeard()];
        const other = hasServer ? await open() : queue;
        for (const [end, one] of [
          [queue, first],
          [other, second],
        ] as const) {
          end.subscribe((runId) => {
            one.listener(runId);
            all.listener(runId);
          });
        }
        let published = 0;
        // Who is faster takes more; in the end nobody gets nothing.
        while (first.runIds.length === 0 || second.runIds.length === 0) {
          const batch = Array.from({ length: 100 }, (_, index) => `run-${published + index}`);
          published += batch.length;
          await Promise.all(batch.map((id) => queue.publish(id)));
          await all.until((runIds) => runIds.length >= published);
        }
        assert.equal(new Set(all.runIds).size, published);
        assert.equal(all.runIds.length, published);
      }));

    test('carries higher priorities first', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        await queue.publish('low', { priority: -5 });
        await queue.publish('none');
        await queue.publish('high', { priority: 7 });
        await queue.publish('highest', { priority: 1e12 });
        queue.subscribe(heard.listener);
        await heard.until((runIds) => runIds.length === 4);
        assert.deepEqual(heard.runIds, ['highest', 'high', 'none', 'low']);
      }));

    test('holds a wake-up back for its delay, and nothing else of that run with it', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe(heard.listener);
        await queue.publish('run', { delay: 3_600_000 });
        await queue.publish('run', { delay: 3_000 });
        await queue.publish('run');
        await queue.publish('other');
        await heard.until((runIds) => runIds.length === 2);
        assert.deepEqual(heard.runIds.toSorted(), ['other', 'run']);
        await heard.until((runIds) => runIds.length === 3);
        assert.equal(heard.runIds[2], 'run');
      }));

    test('makes one of the wake-ups of a run that nobody heard yet', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        for (let round = 0; round < 3; round += 1) {
          await Promise.all(Array.from({ length: 100 }, () => queue.publish('run')));
        }
        await queue.publish('last', { priority: -1 });
        queue.subscribe(heard.listener);
        await heard.until((runIds) => runIds.includes('last'));
        assert.deepEqual(heard.runIds, ['run', 'last']);
      }));

    test('carries a wake-up that is published while the one before it is heard', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const heard = createHeard();
        const rounds = 5;
        queue.subscribe((runId) => {
          heard.listener(runId);
          if (heard.runIds.length < rounds) void queue.publish(runId);
        });
        await queue.publish('run');
        await heard.until((runIds) => runIds.length === rounds);
        assert.deepEqual(new Set(heard.runIds), new Set(['run']));
      }));

    test('tells nothing to who has left, and keeps it for who comes', () =>
      withEnds(async ({ open }) => {
        const queue = await open();
        const [first, second] = [createHeard(), createHeard()];
        const leave = queue.subscribe(first.listener);
        await queue.publish('one');
        await first.until((runIds) => runIds.length === 1);
        leave();
        leave();
        await queue.publish('two');
        queue.subscribe(second.listener);
        await second.until((runIds) => runIds.includes('two'));
        assert.deepEqual(first.runIds, ['one']);
      }));

    test('goes on when a subscriber throws, and says so', () =>
      withEnds(async ({ open, problems }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe((runId) => {
          heard.listener(runId);
          if (runId === 'bad') throw new Error('no such run');
        });
        await queue.publish('bad');
        await heard.until((runIds) => runIds.length === 1);
        await queue.publish('good');
        await heard.until((runIds) => runIds.length === 2);
        assert.deepEqual(heard.runIds, ['bad', 'good']);
        assert.deepEqual(
          problems.map(({ what }) => what),
          ['listener'],
        );
      }));

    test('closes in the middle of work, twice, and is closed then', () =>
      withEnds(async ({ open, problems }) => {
        const queue = await open();
        const heard = createHeard();
        queue.subscribe(heard.listener);
        const published = Array.from({ length: 200 }, (_, index) => queue.publish(`run-${index}`));
        await heard.until((runIds) => runIds.length > 0);
        const closing = queue.close();
        const { length } = heard.runIds;
        await Promise.all([closing, queue.close(), ...published]);
        await queue.publish('late');
        assert.equal(heard.runIds.length, length);
        assert.equal(problems.at(-1)?.what, 'publish');
        assert.throws(
          () => queue.subscribe(heard.listener),
          (error) => ForgeError.is(error, 'not_allowed'),
        );
        if (!hasServer) return;
        const other = await open();
        other.subscribe(heard.listener);
        await heard.until((runIds) => new Set(runIds).size === 200);
      }));

    test('carries a flood, in bounded pieces', () =>
      withEnds(async ({ open, problems }) => {
        const queue = await open();
        const heard = createHeard();
        const runs = Array.from({ length: 10_000 }, (_, index) => `run-${index}`);
        queue.subscribe(heard.listener);
        await Promise.all(runs.map((id) => queue.publish(id)));
        await heard.until((runIds) => runIds.length >= runs.length);
        assert.deepEqual(heard.runIds.toSorted(), runs.toSorted());

        await Promise.all(runs.map((_, index) => queue.publish(`same-${index % 10}`)));
        await queue.publish('last', { priority: -1 });
        await heard.until((runIds) => runIds.includes('last'));
        assert.equal(heard.runIds.filter((id) => id.startsWith('same-')).length, 10);
        assert.deepEqual(problems, []);
      }));

    testOutages(dangers, () => ground);
  });
}
