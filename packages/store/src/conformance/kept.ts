import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { failsWith, type OpenTestDatabase, onBench } from './kit.ts';

export function keptConformance(open: OpenTestDatabase): void {
  describe('snapshots and blobs', () => {
    it(
      'keeps the latest snapshot of each version',
      onBench(open, async ({ store }) => {
        await store.createRun({ id: 'r1', agent: 'x' });
        assert.equal(await store.snapshot('r1', 'v1'), undefined);
        await store.saveSnapshot({ runId: 'r1', seq: 10, version: 'v1', state: '{"a":1}' });
        await store.saveSnapshot({ runId: 'r1', seq: 20, version: 'v1', state: '{"a":2}' });
        await store.saveSnapshot({ runId: 'r1', seq: 15, version: 'v1', state: 'late' });
        await store.saveSnapshot({
          runId: 'r1',
          seq: 5,
          version: 'v2',
          state: 'x'.repeat(200_000),
        });
        assert.deepEqual(await store.snapshot('r1', 'v1'), { seq: 20, state: '{"a":2}' });
        assert.equal((await store.snapshot('r1', 'v2'))?.state.length, 200_000);
        await failsWith(
          'not_found',
          store.saveSnapshot({ runId: 'gone', seq: 1, version: 'v', state: '' }),
        );
      }),
    );

    it(
      'keeps bytes under their hash, once',
      onBench(open, async ({ store, connect }) => {
        const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
        const hash = createHash('sha256').update(bytes).digest('hex');
        assert.equal(await store.putBlob(bytes), hash);
        assert.equal(await (await connect()).putBlob(bytes), hash);
        assert.deepEqual(await store.blob(hash), bytes);
        assert.deepEqual(await store.blob(await store.putBlob(new Uint8Array())), new Uint8Array());
        assert.equal(await store.blob('0'.repeat(64)), undefined);
      }),
    );

    it(
      'refuses everything once it is closed',
      onBench(open, async ({ connect }) => {
        const other = await connect();
        await other.createRun({ id: 'r1', agent: 'x' });
        await other.close();
        await failsWith('store_failed', other.run('r1'));
        await failsWith('store_failed', other.send('r1', { kind: 'x', payload: null }));
        await other.close();
      }),
    );

    it(
      'finishes what it took before it closes',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        await store.createRun({ id: 'r1', agent: 'x' });
        const sent = Array.from({ length: 50 }, (_, index) =>
          other.send('r1', { kind: 'x', payload: index }),
        );
        await other.close();
        assert.deepEqual(new Set(await Promise.all(sent)), new Set([true]));
        assert.equal((await store.inbox('r1')).length, 50);
      }),
    );
  });
}
