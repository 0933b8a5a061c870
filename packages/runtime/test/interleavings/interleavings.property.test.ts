import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openPostgresStore, openSqliteStore, type Store } from '@forge/store';
import { sharedPostgres } from '@forge/store/testing';
import fc from 'fast-check';
import { createRuntime } from '../../src/control/create-runtime.ts';
import { stopPoints } from '../chaos/worker-orders.ts';
import { type Deed, Village, type Work } from './village.ts';

const which = fc.nat({ max: 9 });
const deed: fc.Arbitrary<Deed> = fc.record({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('say', 'yes', 'no', 'edit', 'call back') },
    { weight: 3, arbitrary: fc.constantFrom('pause', 'resume') },
    { weight: 1, arbitrary: fc.constant('cancel') },
  ),
  which,
});
const batch = fc.array(
  fc.constantFrom('note', 'pay', 'guarded', 'careful', 'ask', 'hook', 'delegate'),
  { minLength: 1, maxLength: 4 },
);
const launch = fc
  .record({
    turns: fc.array(batch, { maxLength: 3 }),
    reusesIds: fc.boolean(),
    standing: fc.boolean(),
  })
  // A conversation may go on before a call has ended: then its id must not come again.
  .filter(({ reusesIds, standing }) => !(reusesIds && standing));
const work: fc.Arbitrary<Work> = fc.record({
  crash: fc.option(
    fc.record({ point: fc.constantFrom(...stopPoints), times: fc.integer({ min: 1, max: 12 }) }),
    { nil: undefined },
  ),
  meanwhile: fc.array(fc.record({ ...deedFields(), after: fc.integer({ min: 1, max: 25 }) }), {
    maxLength: 4,
  }),
});
const command = fc.oneof(
  { weight: 2, arbitrary: launch.map((given) => ({ type: 'launch' as const, ...given })) },
  { weight: 1, arbitrary: fc.constant({ type: 'open' as const }) },
  { weight: 4, arbitrary: deed.map((given) => ({ type: 'deed' as const, ...given })) },
  { weight: 5, arbitrary: work.map((given) => ({ type: 'work' as const, ...given })) },
);

type Ground = { readonly store: Store; remove(): Promise<void> };

async function onSqlite(now: () => number): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-property-'));
  const file = join(folder, 'store.db');
  const store = await openSqliteStore({ file, synchronous: 'normal', now });
  return {
    store,
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function onPostgres(now: () => number): Promise<Ground> {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const store = await openPostgresStore({ url, now, poolSize: 4 });
  return {
    store,
    async remove() {
      await store.close();
      await postgres.dropDatabase(url);
    },
  };
}

/** A server takes longer for each case, and what it does otherwise shows in few. */
const grounds = [
  { make: 'SQLite', open: onSqlite, numRuns: 50 },
  { make: 'PostgreSQL', open: onPostgres, numRuns: 10 },
];

function deedFields() {
  return {
    what: deed.map(({ what }) => what),
    which,
  };
}

describe('runs in a store, whatever comes in whatever order', () => {
  const policies = ['tell_model', 'ask_person'] as const;
  const cases = grounds.flatMap((ground) =>
    policies.map((interrupted) => ({ ...ground, interrupted })),
  );
  for (const { make, open, numRuns, interrupted } of cases) {
    it(`ends each as it should, and asks every provider rightly (${make}, ${interrupted})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25 }), async (commands) => {
          const clock = { now: Date.UTC(2026, 10, 15) };
          const now = () => clock.now;
          const { store, remove } = await open(now);
          try {
            const runtime = createRuntime({ store, now });
            const village = new Village({ store, runtime, clock, interrupted, name: 'v' });
            for (const next of commands) {
              clock.now += 1;
              if (next.type === 'launch') await village.launch(next);
              else if (next.type === 'open') await village.open();
              else if (next.type === 'deed') await village.do(next);
              else await village.work(next);
            }
            await village.settle();
          } finally {
            await remove();
          }
        }),
        { numRuns },
      );
    });
  }
});
