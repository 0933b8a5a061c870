import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '@forge/core';
import type { DailyStats, RunRow, Store } from '../store.ts';
import {
  finished,
  note,
  replied,
  requested,
  started,
  toolFinished,
  toolStarted,
} from './happenings.ts';
import { type Bench, leasedRun, type OpenTestDatabase, onBench, type TestClock } from './kit.ts';
import { Seeded } from './seeded.ts';

/** A run that did this and ended. */
export async function endedRun(
  { store, clock }: Pick<Bench, 'store' | 'clock'>,
  {
    id,
    agent = 'writer',
    happenings = [started(), finished()],
    parentId,
  }: {
    id: string;
    agent?: string;
    happenings?: readonly Happening[];
    parentId?: string;
  },
): Promise<void> {
  const { fence } = await leasedRun(store, {
    id,
    agent,
    ...(parentId !== undefined && { parent: { runId: parentId } }),
  });
  await store.append({
    runId: id,
    fence,
    expectedSeq: 0,
    happenings,
    at: clock.time,
    state: 'completed',
  });
  await store.release({ runId: id, fence });
}

interface Figures {
  readonly rows: readonly RunRow[];
  readonly stats: readonly DailyStats[];
}

async function figures(store: Store): Promise<Figures> {
  return { rows: (await store.runs({}, { limit: 1_000 })).items, stats: await store.stats() };
}

const models = ['ollama:qwen3:8b', 'openai:gpt-5', 'fallback(a, b)'] as const;

/** Any of the things that are counted, and some that are not. */
function anything(random: Seeded): Happening {
  switch (random.below(7)) {
    case 0:
      return started();
    case 1:
      return requested(1, random.pick(models));
    case 2:
      return toolStarted();
    case 3:
      return toolFinished(random.pick(['ok', 'error']));
    case 4:
      return finished(random.pick(['completed', 'failed', 'cancelled']));
    case 5:
      return note(`${random.below(1_000)}`);
    default:
      return replied({
        ...(random.chance(80) && { model: random.pick(models) }),
        usage: {
          inputTokens: random.below(100_000),
          outputTokens: random.below(10_000),
          ...(random.chance(50) && { cachedInputTokens: random.below(1_000) }),
          ...(random.chance(30) && { reasoningTokens: random.below(1_000) }),
        },
        cost: random.below(3_000_000_000) / 1_000_000_007,
      });
  }
}

function anySteps(random: Seeded): readonly (readonly Happening[])[] {
  return Array.from({ length: random.below(5) }, () =>
    Array.from({ length: random.below(6) }, () => anything(random)),
  );
}

/** Appends one step after another, some hours apart. */
export async function appendAll(
  { store, clock, runId, fence }: { store: Store; clock: TestClock; runId: string; fence: number },
  steps: readonly (readonly Happening[])[],
): Promise<void> {
  let seq = 0;
  for (const happenings of steps) {
    clock.advance(3_600_000 * 5);
    seq = (await store.append({ runId, fence, expectedSeq: seq, happenings, at: clock.time })).seq;
  }
}

export function projectionsConformance(open: OpenTestDatabase): void {
  describe('projections', () => {
    it(
      'counts by day and agent',
      onBench(open, async (bench) => {
        const { store, clock } = bench;
        await endedRun(bench, {
          id: 'r1',
          happenings: [
            started(),
            requested(),
            replied({ usage: { inputTokens: 7, outputTokens: 2 }, cost: 0.25 }),
            toolStarted(),
            toolFinished('error'),
            finished(),
          ],
        });
        clock.advance(86_400_000);
        await endedRun(bench, { id: 'r2', happenings: [started(), finished('failed')] });
        await endedRun(bench, {
          id: 'r3',
          agent: 'coder',
          happenings: [started(), finished('cancelled')],
        });
        const none = {
          runsCompleted: 0,
          runsFailed: 0,
          runsCancelled: 0,
          turns: 0,
          replies: 0,
          toolCalls: 0,
          toolErrors: 0,
          refusals: 0,
          inputTokens: 0,
          outputTokens: 0,
          cost: 0,
          runsStarted: 1,
          model: '',
        };
        assert.deepEqual(await store.stats(), [
          {
            ...none,
            day: '2026-11-15',
            agent: 'writer',
            runsCompleted: 1,
            turns: 1,
            replies: 1,
            toolCalls: 1,
            toolErrors: 1,
            inputTokens: 7,
            outputTokens: 2,
            cost: 0.25,
          },
          { ...none, day: '2026-11-16', agent: 'coder', runsCancelled: 1 },
          { ...none, day: '2026-11-16', agent: 'writer', runsFailed: 1 },
        ]);
        assert.equal((await store.stats({ agent: 'coder' })).length, 1);
        assert.equal((await store.stats({ from: '2026-11-16' })).length, 2);
        assert.equal((await store.stats({ to: '2026-11-15' })).length, 1);
      }),
    );

    it(
      'counts by model, the one that answered',
      onBench(open, async (bench) => {
        const { store } = bench;
        const usage = { inputTokens: 7, outputTokens: 2 };
        await endedRun(bench, {
          id: 'r1',
          happenings: [
            started(),
            requested(1, 'cascade(a, b)'),
            replied({ model: 'b', usage, cost: 0.25 }),
            requested(2, 'a'),
            replied({ model: 'a', usage }),
            finished(),
          ],
        });
        await endedRun(bench, { id: 'r2', happenings: [requested(1, 'a'), finished('failed')] });
        const figures = async () =>
          (await store.stats()).map(({ model, runsStarted, turns, replies, inputTokens, cost }) => [
            model,
            runsStarted,
            turns,
            replies,
            inputTokens,
            cost,
          ]);
        const expected = [
          ['', 1, 0, 0, 0, 0],
          ['a', 0, 2, 1, 7, 0],
          ['b', 0, 0, 1, 7, 0.25],
          ['cascade(a, b)', 0, 1, 0, 0, 0],
        ];
        assert.deepEqual(await figures(), expected);
        await store.rebuild();
        assert.deepEqual(await figures(), expected);
        assert.deepEqual(
          (await store.stats({ model: 'a', agent: 'writer' })).map(({ turns }) => turns),
          [2],
        );
        assert.deepEqual(
          (await store.stats({ model: '' })).map(({ runsStarted }) => runsStarted),
          [1],
        );
        assert.deepEqual(await store.stats({ model: 'c' }), []);
      }),
    );

    it(
      'come out equal when they are rebuilt from the log',
      onBench(open, async ({ store, clock, database }) => {
        const random = new Seeded(7);
        for (let index = 0; index < 25; index += 1) {
          const runId = `r${index}`;
          const { fence } = await leasedRun(store, {
            id: runId,
            agent: random.pick(['writer', 'coder']),
          });
          await appendAll({ store, clock, runId, fence }, anySteps(random));
          await store.release({ runId, fence });
        }
        const before = await figures(store);
        await database.execute(
          'update runs set turns = 99, cost_nano = 1, reason = null, cached_input_tokens = 5',
        );
        await database.execute('delete from daily_stats');
        assert.notDeepEqual(await figures(store), before);
        let progress = 0;
        await store.rebuild((events) => {
          assert.ok(events >= progress);
          progress = events;
        });
        assert.deepEqual(await figures(store), before);
        assert.ok(progress > 0);
      }),
    );

    it(
      'can be rebuilt while others write',
      onBench(open, async ({ store, clock, connect }) => {
        const other = await connect();
        const { fence } = await leasedRun(other, { id: 'busy' });
        const writing = (async () => {
          for (let seq = 0; seq < 60; seq += 1) {
            await other.append({
              runId: 'busy',
              fence,
              expectedSeq: seq,
              happenings: [requested()],
              at: clock.time,
            });
          }
        })();
        await Promise.all([writing, store.rebuild(), store.rebuild()]);
        assert.equal((await store.run('busy'))?.turns, 60);
        assert.equal((await store.stats())[0]?.turns, 60);
      }),
    );
  });
}
