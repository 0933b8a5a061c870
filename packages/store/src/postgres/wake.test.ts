import { test } from 'node:test';
import type { Store } from '../store.ts';
import { sharedPostgres } from '../testing/shared-postgres.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { execute } from './test-database.ts';

async function onTwo(
  run: (here: Store, there: Store, url: string) => Promise<void>,
): Promise<void> {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const here = await openPostgresStore({ url });
  const there = await openPostgresStore({ url });
  try {
    await run(here, there, url);
  } finally {
    await here.close();
    await there.close();
    await postgres.dropDatabase(url);
  }
}

/** Resolves when a store is told what the check wants. */
function told(
  store: Store,
  wanted: (runIds: readonly string[] | undefined) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.onWake((runIds) => {
      if (!wanted(runIds)) return;
      stop();
      resolve();
    });
  });
}

const any = (runIds: readonly string[] | undefined) => runIds === undefined;
const names = (id: string) => (runIds: readonly string[] | undefined) =>
  runIds?.includes(id) === true;

test('tells listeners of other stores by name, and its own at once', () =>
  onTwo(async (here, there) => {
    await told(there, any); // It listens from now on.
    const [own, other] = [told(here, names('r1')), told(there, names('r1'))];
    await here.createRun({ id: 'r1', agent: 'writer' });
    await Promise.all([own, other]);
    const again = told(there, names('r1'));
    await here.send('r1', { kind: 'input', payload: 'hello' });
    await again;
  }));

test('says that something came when it is too much to name', () =>
  onTwo(async (here, there) => {
    await told(there, any);
    const starts = Array.from({ length: 300 }, (_, index) => ({
      id: `run-with-quite-a-long-name-${index}`,
      agent: 'writer',
    }));
    const schedule = {
      id: 's',
      agent: 'writer',
      tenant: undefined,
      runId: undefined,
      spec: {},
      state: 'active' as const,
      nextAt: undefined,
      lastAt: undefined,
      createdAt: 1,
    };
    const { version } = await here.saveSchedule(schedule);
    const heard = told(there, any);
    await here.fire({ schedule, expectedVersion: version, firings: [], starts });
    await heard;
  }));

test('listens again when its connection breaks', () =>
  onTwo(async (here, there, url) => {
    await told(there, any);
    const back = told(there, any);
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen forge'`,
    );
    await back;
    const heard = told(there, names('r1'));
    await here.createRun({ id: 'r1', agent: 'writer' });
    await heard;
  }));

test('is not confused by what others say on its channel', () =>
  onTwo(async (here, there, url) => {
    await told(there, any);
    for (const words of ['', 'x', '[]', '[1,2,3]', '["a",true,[1]]', '{}']) {
      await execute(url, `notify forge, '${words}'`);
    }
    const heard = told(there, names('r1'));
    await here.createRun({ id: 'r1', agent: 'writer' });
    await heard;
  }));
