import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeploymentState, NewDeployment } from '../deployments/deployment-store.ts';
import type { Store } from '../store.ts';
import { allPages } from './all-pages.ts';
import { failsWith, ids, type OpenTestDatabase, onBench } from './kit.ts';
import { endedRun } from './projections.ts';

const place = { project: 'shop', target: 'local' };

function begin(store: Store, id: string, more: Partial<NewDeployment> = {}) {
  const deployment = { id, ...place, commit: `commit of ${id}`, startedAt: 1_000 };
  return store.deployments.begin({ ...deployment, ...more });
}

/** Begins one and gives it the traffic. */
async function goLive(store: Store, id: string, more: Partial<NewDeployment> = {}) {
  await begin(store, id, more);
  const change = { state: 'live' } as const;
  return store.deployments.change(id, ['building'], change, { alsoReplaces: true });
}

const stateOf = async (store: Store, id: string) => (await store.deployments.get(id))?.state;

export function deploymentsConformance(open: OpenTestDatabase): void {
  describe('deployments', () => {
    it(
      'begins one, once',
      onBench(open, async ({ store }) => {
        const more = { tenant: 'acme', runId: 'r1', replaces: 'd0' };
        const made = await begin(store, 'd1', more);
        assert.deepEqual(made, {
          id: 'd1',
          ...place,
          ...more,
          commit: 'commit of d1',
          digest: undefined,
          url: undefined,
          state: 'building',
          verified: undefined,
          reason: undefined,
          detail: {},
          startedAt: 1_000,
          endedAt: undefined,
        });
        assert.deepEqual(await store.deployments.get('d1'), made);
        assert.deepEqual(await begin(store, 'd1', { project: 'other', startedAt: 9 }), made);
        assert.equal((await begin(store, 'd2')).tenant, undefined);
        assert.equal(await store.deployments.get('nothing'), undefined);
        await failsWith('invalid_options', begin(store, ''));
        await failsWith('invalid_options', begin(store, 'd3', { target: '' }));
        await failsWith('invalid_options', begin(store, 'd3', { commit: 'c'.repeat(5_000) }));
        await failsWith('invalid_options', begin(store, 'd3', { startedAt: Number.NaN }));
      }),
    );

    it(
      'changes what is said and nothing else; undefined takes away',
      onBench(open, async ({ store }) => {
        const { deployments } = store;
        const made = await begin(store, 'd1');
        const change = {
          digest: 'sha256:1',
          url: 'http://127.0.0.1:8080/',
          verified: false,
          reason: 'It was slow.',
          replaces: 'd0',
          detail: { port: 8_080, command: ['node', 'server.js'] },
          endedAt: 2_000,
        };
        const changed = await deployments.change('d1', ['building'], change);
        assert.deepEqual(changed, { ...made, ...change });
        assert.deepEqual(await deployments.get('d1'), changed);
        assert.deepEqual(await deployments.change('d1', ['building'], {}), changed);
        const live = await deployments.change('d1', ['building', 'starting'], {
          state: 'live',
          verified: true,
          reason: undefined,
        });
        assert.deepEqual(live, {
          ...changed,
          state: 'live',
          verified: true,
          reason: undefined,
          endedAt: undefined,
        });
      }),
    );

    it(
      'changes one only from the states that are said',
      onBench(open, async ({ store }) => {
        const { deployments } = store;
        const before = await begin(store, 'd1');
        await failsWith('not_found', deployments.change('gone', ['building'], { verified: true }));
        const from: readonly DeploymentState[][] = [['live'], ['starting', 'failed'], []];
        for (const states of from) {
          const late = deployments.change('d1', states, { state: 'failed' });
          assert.match(await failsWith('seq_conflict', late), /"d1".*building/);
        }
        assert.deepEqual(await deployments.get('d1'), before);
      }),
    );

    it(
      'lets exactly one of many changes win',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        await begin(store, 'd1');
        const tried = await Promise.allSettled(
          Array.from({ length: 10 }, (_, number) =>
            (number % 2 === 0 ? store : other).deployments.change('d1', ['building'], {
              state: 'starting',
              digest: `sha256:${number}`,
            }),
          ),
        );
        const won = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        assert.equal(won.length, 1);
        assert.deepEqual(await store.deployments.get('d1'), won[0]);
        for (const each of tried) {
          if (each.status === 'rejected') assert.equal(each.reason.code, 'seq_conflict');
        }
      }),
    );

    it(
      'gives the traffic from one to the next',
      onBench(open, async ({ store, clock }) => {
        const { deployments } = store;
        assert.equal(await deployments.live('shop', 'local'), undefined);
        await goLive(store, 'd1');
        await goLive(store, 'elsewhere', { target: 'docker' });
        await goLive(store, 'another', { project: 'blog' });
        clock.advance(50);
        const second = await goLive(store, 'd2', { replaces: 'd1' });
        assert.deepEqual(await deployments.live('shop', 'local'), second);
        const first = await deployments.get('d1');
        assert.equal(first?.state, 'replaced');
        assert.equal(first?.endedAt, clock.time);
        assert.equal((await deployments.live('shop', 'docker'))?.id, 'elsewhere');
        assert.equal((await deployments.live('blog', 'local'))?.id, 'another');

        // A rollback: the one before gets it back.
        const back = { state: 'live' } as const;
        await deployments.change('d1', ['replaced'], back, { alsoReplaces: true });
        await deployments.change('d2', ['replaced'], {
          state: 'rolled_back',
          reason: 'It failed.',
        });
        const again = await deployments.live('shop', 'local');
        assert.equal(again?.id, 'd1');
        assert.equal(again?.endedAt, undefined);
        assert.equal(await stateOf(store, 'd2'), 'rolled_back');
      }),
    );

    it(
      'replaces nothing when the change is refused',
      onBench(open, async ({ store }) => {
        await goLive(store, 'd1');
        await begin(store, 'd2');
        const late = store.deployments.change('d2', ['starting'], { state: 'live' });
        await failsWith('seq_conflict', late);
        const replaces = { alsoReplaces: true };
        await failsWith(
          'seq_conflict',
          store.deployments.change('d2', ['starting'], { state: 'live' }, replaces),
        );
        assert.equal(await stateOf(store, 'd1'), 'live');
      }),
    );

    it(
      'never has two that are live in one place',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        const names = Array.from({ length: 12 }, (_, number) => `d${number}`);
        await Promise.all(names.map((id, number) => goLive(number % 2 === 0 ? store : other, id)));
        const live = (await store.deployments.list({ state: 'live' })).items;
        assert.equal(live.length, 1);
        assert.equal((await store.deployments.list({ state: 'replaced' })).items.length, 11);
        assert.deepEqual(await store.deployments.live('shop', 'local'), live[0]);

        await begin(store, 'more');
        const beside = store.deployments.change('more', ['building'], { state: 'live' });
        assert.match(await failsWith('seq_conflict', beside), new RegExp(`"${live[0]?.id}"`));
        assert.equal(await stateOf(store, 'more'), 'building');
      }),
    );

    it(
      'lists newest first, by everything that is said, in pages that end',
      onBench(open, async ({ store }) => {
        const made: { id: string; target: string; tenant: string }[] = [];
        for (let number = 0; number < 12; number += 1) {
          const id = `d${String(number).padStart(2, '0')}`;
          const row = { id, target: `t${number % 2}`, tenant: `n${number % 3}` };
          await begin(store, id, { ...row, startedAt: 1_000 + Math.trunc(number / 2) });
          made.unshift(row);
        }
        await begin(store, 'other', { project: 'blog', startedAt: 1 });
        const { deployments } = store;
        await deployments.change('d04', ['building'], { state: 'failed' });
        type Filter = Parameters<typeof deployments.list>[0];
        const listed = async (filter: Filter) =>
          ids(await allPages((page) => deployments.list(filter, page), 5));
        assert.deepEqual(await listed({}), [...ids(made), 'other']);
        assert.deepEqual(await listed({ project: 'shop' }), ids(made));
        assert.deepEqual(
          await listed({ project: 'shop', target: 't1' }),
          ids(made.filter(({ target }) => target === 't1')),
        );
        assert.deepEqual(
          await listed({ tenant: 'n2' }),
          ids(made.filter(({ tenant }) => tenant === 'n2')),
        );
        assert.deepEqual(await listed({ state: 'failed' }), ['d04']);
        assert.deepEqual(await listed({ project: 'blog', state: 'failed' }), []);
        await failsWith('invalid_options', deployments.list({}, { after: 'nonsense' }));
        await failsWith('invalid_options', deployments.list({}, { limit: 0 }));
      }),
    );

    it(
      'keeps the beginning of a long reason, and refuses what is too big to keep',
      onBench(open, async ({ store }) => {
        const { deployments } = store;
        await begin(store, 'd1');
        const long = { state: 'failed', reason: `\0Error: ${'x'.repeat(100_000)}` } as const;
        const { reason = '' } = await deployments.change('d1', ['building'], long);
        assert.match(reason, /^\uFFFDError: x+ … \(100008 characters in all\)$/);
        assert.equal(reason.length, 20_000);
        const detail = { text: 'x'.repeat(300_000) };
        await failsWith('invalid_options', deployments.change('d1', ['failed'], { detail }));
        const url = 'u'.repeat(5_000);
        await failsWith('invalid_options', deployments.change('d1', ['failed'], { url }));
      }),
    );

    it(
      'outlive the run that made them, and show what is damaged',
      onBench(open, async (bench) => {
        const { store, clock, database } = bench;
        await endedRun(bench, { id: 'r1' });
        await goLive(store, 'd1', { runId: 'r1' });
        await store.prune({ endedBefore: clock.time + 1 });
        assert.equal(await store.run('r1'), undefined);
        assert.equal((await store.deployments.live('shop', 'local'))?.runId, 'r1');
        await database.execute(`update deployments set detail = '{'`);
        const [row] = (await store.deployments.list()).items;
        assert.equal(row?.detail.text, '{');
        assert.match(String(row?.detail.broken), /deployments\.detail of d1/);
      }),
    );
  });
}
