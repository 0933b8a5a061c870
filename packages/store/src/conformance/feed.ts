import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store, StoredEvent } from '../store.ts';
import { note } from './happenings.ts';
import { leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

/** Reads the feed until it has seen so many. */
async function take(store: Store, count: number, from?: string): Promise<readonly StoredEvent[]> {
  const stop = new AbortController();
  const seen: StoredEvent[] = [];
  for await (const change of store.changes({
    signal: stop.signal,
    ...(from !== undefined && { from }),
  })) {
    seen.push(change);
    if (seen.length === count) stop.abort();
  }
  return seen;
}

function placeOf({ runId, event }: StoredEvent): string {
  return `${runId}/${event.seq}`;
}

export function feedConformance(open: OpenTestDatabase): void {
  describe('change feed', () => {
    it(
      'gives what was there, then what comes',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = { runId: 'r1', fence, at: clock.time };
        await store.append({ ...step, expectedSeq: 0, happenings: [note('a'), note('b')] });
        const stop = new AbortController();
        const seen: string[] = [];
        for await (const change of store.changes({ signal: stop.signal })) {
          seen.push(placeOf(change));
          if (seen.length === 2)
            await store.append({ ...step, expectedSeq: 2, happenings: [note('c')] });
          if (seen.length === 3) stop.abort();
        }
        assert.deepEqual(seen, ['r1/1', 'r1/2', 'r1/3']);
      }),
    );

    it(
      'goes on from a cursor, without a gap and without a repeat',
      onBench(open, async ({ store, clock }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const happenings = Array.from({ length: 450 }, (_, index) => note(`${index}`));
        await store.append({ runId: 'r1', fence, at: clock.time, expectedSeq: 0, happenings });
        const all = await take(store, 450);
        assert.deepEqual(
          all.map(({ event }) => event.seq),
          happenings.map((_, index) => index + 1),
        );
        const rest = await take(store, 50, all[399]?.cursor);
        assert.deepEqual(rest, all.slice(400));
      }),
    );

    it(
      'gives the place after what is there, so that whoever looks then misses nothing',
      onBench(open, async ({ store, clock, connect }) => {
        const other = await connect();
        const { fence } = await leasedRun(store, { id: 'r1' });
        const step = { runId: 'r1', fence, at: clock.time };
        const empty = await other.cursor();
        await store.append({ ...step, expectedSeq: 0, happenings: [note('a'), note('b')] });
        const after = await other.cursor();
        await store.append({ ...step, expectedSeq: 2, happenings: [note('c')] });
        assert.deepEqual((await take(other, 3, empty)).map(placeOf), ['r1/1', 'r1/2', 'r1/3']);
        assert.deepEqual((await take(other, 1, after)).map(placeOf), ['r1/3']);
      }),
    );

    it(
      'hears of what another store writes',
      onBench(open, async ({ store, clock, connect }) => {
        const { fence } = await leasedRun(store, { id: 'r1' });
        const other = await connect();
        const heard = take(other, 2);
        await store.append({
          runId: 'r1',
          fence,
          at: clock.time,
          expectedSeq: 0,
          happenings: [note('a')],
        });
        await store.append({
          runId: 'r1',
          fence,
          at: clock.time,
          expectedSeq: 1,
          happenings: [note('b')],
        });
        assert.deepEqual((await heard).map(placeOf), ['r1/1', 'r1/2']);
      }),
    );

    it(
      'leaves nothing out while several stores write at once',
      onBench(open, async ({ store, clock, connect }) => {
        const writers = [store, await connect(), await connect()];
        const runs = await Promise.all(
          Array.from({ length: 12 }, async (_, index) => {
            const writer = writers[index % 3] ?? store;
            return { writer, ...(await leasedRun(writer, { id: `r${index}` })) };
          }),
        );
        const steps = 15;
        const reader = await connect();
        const early = take(reader, 12 * steps);
        const late = take(store, 12 * steps);
        await Promise.all(
          runs.map(async ({ writer, run, fence }) => {
            for (let seq = 0; seq < steps; seq += 1) {
              await writer.append({
                runId: run.id,
                fence,
                at: clock.time,
                expectedSeq: seq,
                happenings: [note('x')],
              });
            }
          }),
        );
        for (const seen of [await early, await late, await take(reader, 12 * steps)]) {
          assert.equal(new Set(seen.map(placeOf)).size, 12 * steps);
          assert.equal(new Set(seen.map(({ cursor }) => cursor)).size, 12 * steps);
          const last = new Map<string, number>();
          for (const { runId, event } of seen) {
            assert.equal(event.seq, (last.get(runId) ?? 0) + 1, 'each run in its order');
            last.set(runId, event.seq);
          }
        }
        assert.deepEqual(
          (await early).map(placeOf),
          (await take(reader, 12 * steps)).map(placeOf),
          'always the same order',
        );
      }),
    );

    it(
      'ends when it is told to, while it waits or before it begins',
      onBench(open, async ({ store }) => {
        const stop = new AbortController();
        const waiting = store.changes({ signal: stop.signal })[Symbol.asyncIterator]();
        const next = waiting.next();
        stop.abort();
        assert.equal((await next).done, true);
        const never = store.changes({ signal: AbortSignal.abort() })[Symbol.asyncIterator]();
        assert.equal((await never.next()).done, true);
      }),
    );

    it(
      'ends when the store is closed',
      onBench(open, async ({ connect }) => {
        const other = await connect();
        const next = other
          .changes({ signal: new AbortController().signal })
          [Symbol.asyncIterator]()
          .next();
        await other.close();
        assert.equal((await next).done, true);
      }),
    );
  });
}
