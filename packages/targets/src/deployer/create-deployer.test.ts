import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { type DeploymentStore, openStore, type Store } from '@forge/store';
import fc from 'fast-check';
import * as z from 'zod';
import { createTargets } from '../create-targets.ts';
import { deployFailed } from '../deploy-failed.ts';
import type { Target } from '../target.ts';
import { createDeployer } from './create-deployer.ts';
import type { DeployerOptions } from './deployer.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-deployer-'));
let store: Store;
before(async () => {
  store = await openStore(join(root, 'store.db'));
});
after(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

/** A target in memory: what is live is a variable, and what it shall do wrong is said beforehand. */
function toyTarget() {
  const calls: string[] = [];
  const state: {
    live: string | undefined;
    wrong: string | undefined;
    problems: string[];
    during: (what: string) => void;
    building: () => Promise<void>;
  } = {
    ...{ live: undefined, wrong: undefined, problems: [] },
    ...{ during: () => {}, building: async () => {} },
  };
  const may = (what: string) => {
    calls.push(what);
    state.during(what);
    if (state.wrong === what.split(' ')[0]) throw deployFailed(`The ${what} went wrong.`);
  };
  const target: Target<{ level: number }> = {
    name: 'toy',
    config: z.strictObject({ level: z.number().default(1) }),
    async validate() {
      return state.problems.map((problem) => ({ problem, fix: 'Mend it.' }));
    },
    async build(_, { commit }, { id }) {
      may(`build ${id}`);
      await state.building();
      return { digest: `sha256:${commit}`, detail: { of: id } };
    },
    async deploy({ signal }, { digest, detail }, { id }) {
      may(`deploy ${id}`);
      signal.throwIfAborted();
      state.live = id;
      return { digest, detail, url: 'http://toy' };
    },
    async rollback(_, { id, built }) {
      may(`rollback ${id}`);
      state.live = id;
      return { ...built, url: 'http://toy' };
    },
    async healthCheck() {
      return { healthy: state.live !== undefined, report: `${state.live} is live` };
    },
    async stop() {
      may('stop');
      state.live = undefined;
    },
  };
  return { target, calls, state };
}

let count = 0;
function setUp(more: Partial<DeployerOptions> = {}) {
  count += 1;
  const number = count;
  const { target, calls, state } = toyTarget();
  let time = 1_000;
  const options = {
    ...{ deployments: store.deployments, targets: createTargets({ toy: target }) },
    ...{ folder: join(root, 'state'), now: () => ++time, ...more },
  };
  const deployer = createDeployer(options);
  const place = { project: `project ${number}`, target: 'toy', config: {} };
  const signal = new AbortController().signal;
  const idOf = (name: string) => `${number}-${name}`;
  const deploy = (name: string, extra: { signal?: AbortSignal } = {}) =>
    deployer.deploy({
      ...{ ...place, signal, id: idOf(name) },
      ...{ source: { path: root, commit: name }, runId: 'run-1', ...extra },
    });
  const rollback = (extra: { from?: string; to?: string } = {}) =>
    deployer.rollback({ ...place, signal, reason: 'it was slow', ...extra });
  const history = async () =>
    (await deployer.history(place.project)).items.map(({ id, state: is, verified }) =>
      [id.slice(idOf('').length), is, verified].filter((part) => part !== undefined).join(' '),
    );
  const trust = { ...place, signal };
  return { deployer, place: trust, calls, state, deploy, rollback, history, idOf };
}

const fails = (code: Parameters<typeof ForgeError.is>[1], words: RegExp) => (error: unknown) => {
  assert.ok(ForgeError.is(error, code), String(error));
  assert.match(error.message, words);
  return true;
};

/** The real store, which fails at one change: as if the process died there. */
function dyingAt(number: number, isDead = (change: number) => change === number): DeploymentStore {
  let changes = 0;
  const { begin, get, live, list } = store.deployments;
  return {
    ...{ begin, get, live, list },
    async change(...args) {
      changes += 1;
      if (isDead(changes)) throw new Error('the process died here');
      return await store.deployments.change(...args);
    },
  };
}

/** A process that died writes nothing after. */
const dyingFrom = (number: number) => dyingAt(number, (change) => change >= number);

describe('a deployer', () => {
  it('writes down what became live, and what it replaced', async () => {
    const { deployer, deploy, history, idOf, place } = setUp();
    const first = await deploy('v1');
    assert.deepEqual(
      [first.state, first.url, first.digest, first.commit, first.runId, first.replaces],
      ['live', 'http://toy', 'sha256:v1', 'v1', 'run-1', undefined],
    );
    assert.equal((await deploy('v2')).replaces, idOf('v1'));
    await deployer.verify(idOf('v2'), true);
    assert.deepEqual(await history(), ['v2 live true', 'v1 replaced']);
    assert.equal((await deployer.health(place)).report, `${idOf('v2')} is live`);
  });

  it('does the same deployment once', async () => {
    const { deploy, calls, history } = setUp();
    assert.deepEqual(await deploy('v1'), await deploy('v1'));
    assert.equal(calls.length, 2);
    assert.deepEqual(await history(), ['v1 live']);
  });

  it('lists every problem and fix, and builds nothing', async () => {
    const { deployer, deploy, state, calls, history, place } = setUp();
    state.problems = ['There is no cargo.', 'There is no network.'];
    const words =
      /2 things are missing or wrong.\n- There is no cargo. Mend it.\n- There is no net/;
    await assert.rejects(deploy('v1'), fails('deploy_failed', words));
    await assert.rejects(deploy('v1'), fails('deploy_failed', words), 'the same again');
    assert.deepEqual([calls, await history()], [[], ['v1 failed']]);
    const source = { path: root, commit: 'x' };
    assert.equal((await deployer.check({ ...place, source })).length, 2);
    const wrong = { ...place, config: { level: 'high', colour: 1 } };
    const problems = await deployer.check({ ...wrong, source });
    assert.match(problems.map(({ problem }) => problem).join(), /deploy.config.level: .*colour/);
    await assert.rejects(deployer.health(wrong), fails('invalid_options', /deploy.config.level/));
  });

  for (const step of ['build', 'deploy']) {
    it(`leaves the old one live when the ${step} fails, with the reason`, async () => {
      const { deployer, deploy, state, history, idOf } = setUp();
      await deploy('v1');
      state.wrong = step;
      await assert.rejects(
        deploy('v2'),
        fails('deploy_failed', new RegExp(`The ${step} .* wrong`)),
      );
      assert.deepEqual([state.live, await history()], [idOf('v1'), ['v2 failed', 'v1 live']]);
      const [row] = (await deployer.history(`project ${count}`)).items;
      assert.match(row?.reason ?? '', /went wrong/);
    });
  }

  it('makes no deployment of an unknown target', async () => {
    const { deployer, place, history } = setUp();
    const source = { path: root, commit: 'x' };
    await assert.rejects(
      deployer.deploy({ ...place, target: 'toi', id: 'x', source }),
      fails('not_found', /There is no target "toi". Targets: docker, process, toy/),
    );
    assert.deepEqual(await history(), []);
  });

  for (const step of ['build', 'deploy']) {
    it(`writes down that it was stopped at its ${step}, and goes on with the same id`, async () => {
      const { deployer, deploy, history, state, calls } = setUp();
      await deploy('v0');
      const stop = new AbortController();
      state.during = (what) => {
        if (what.startsWith(step)) stop.abort(new Error('paused'));
      };
      const stopped = deploy('v1', { signal: stop.signal });
      await assert.rejects(stopped, fails('cancelled', /was cancelled/));
      assert.deepEqual(await history(), ['v1 failed', 'v0 live']);
      const [row] = (await deployer.history(`project ${count}`)).items;
      assert.match(row?.reason ?? '', /stopped before it had the traffic/);
      assert.ok(row?.endedAt);
      state.during = () => {};
      const again = await deploy('v1');
      assert.deepEqual([again.state, again.reason], ['live', undefined]);
      assert.equal(calls.at(-1)?.split(' ')[0], 'deploy');
    });
  }

  it('is known to be stopped at once while it is built, for nobody may wait for the rest', async () => {
    const { deploy, history, state } = setUp();
    const stop = new AbortController();
    const building = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    state.building = async () => {
      building.resolve();
      await goOn.promise;
    };
    const stopped = deploy('v1', { signal: stop.signal });
    await building.promise;
    stop.abort(new Error('enough'));
    while ((await history())[0] === 'v1 building') await new Promise(setImmediate);
    assert.deepEqual(await history(), ['v1 failed']);
    goOn.resolve();
    await assert.rejects(stopped, fails('cancelled', /was cancelled/));
    state.building = async () => {};
    assert.equal((await deploy('v1')).state, 'live');
  });

  it('that a process left under way fails when another comes in its place', async () => {
    for (const [death, before] of [
      [1, 'building'],
      [2, 'starting'],
    ] as const) {
      const { deployer, deploy, state, history, place, idOf } = setUp();
      const { target } = toyTarget();
      const folder = join(root, 'state');
      const targets = createTargets({ toy: target });
      const now = () => 500;
      const dying = createDeployer({ folder, targets, now, deployments: dyingFrom(death) });
      const left = { ...place, id: idOf('v1'), source: { path: root, commit: 'v1' } };
      await assert.rejects(dying.deploy(left), /died here/);
      assert.deepEqual(await history(), [`v1 ${before}`]);
      state.wrong = 'deploy';
      await assert.rejects(deploy('v2'));
      // One that may have the traffic still may.
      const known = before === 'building' ? 'failed' : 'starting';
      assert.deepEqual(await history(), ['v2 failed', `v1 ${known}`]);
      state.wrong = undefined;
      await deploy('v3');
      assert.deepEqual(await history(), ['v3 live', 'v2 failed', 'v1 failed']);
      const words = /It was interrupted, and \S+ came after it/;
      await assert.rejects(deployer.deploy(left), fails('deploy_failed', words));
      assert.deepEqual(await history(), ['v3 live', 'v2 failed', 'v1 failed']);
    }
  });

  it('goes on with the same id when the process died before the history knew', async () => {
    const dying = setUp({ deployments: dyingAt(2) });
    await assert.rejects(dying.deploy('v1'), /died here/);
    assert.deepEqual(
      [await dying.history(), dying.state.live],
      [['v1 starting'], dying.idOf('v1')],
    );
    assert.equal((await dying.deploy('v1')).state, 'live');
    assert.deepEqual(await dying.history(), ['v1 live']);
  });

  it('checks a commit out for as long as it is needed', async () => {
    const tree = join(root, 'checked-out');
    let isRemoved = false;
    const { deployer, place } = setUp({
      checkout: async () => {
        mkdirSync(tree);
        return {
          path: tree,
          remove: async () => {
            rmSync(tree, { recursive: true });
            isRemoved = true;
          },
        };
      },
    });
    await deployer.deploy({ ...place, id: `${count}-c`, source: { commit: 'abc' } });
    assert.equal(isRemoved, true);
  });

  it('is for one process at a time, and says which has it', async () => {
    const { deploy, place } = setUp();
    const folder = join(root, 'state', 'busy', 'toy');
    const lock = new URL('./deploy-lock.ts', import.meta.url).href;
    const program = `
      const { withDeployLock } = await import(${JSON.stringify(lock)});
      await withDeployLock({ folder: ${JSON.stringify(folder)}, what: 'deploying v7', now: () => 0 }, async () => {
        console.log('mine');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`;
    const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(other.stdout, 'data');
    const { deployer } = setUp();
    const busy = { ...place, project: 'busy', id: 'busy-1', source: { path: root, commit: 'x' } };
    await assert.rejects(
      deployer.deploy(busy),
      fails('limit_reached', new RegExp(`Process ${other.pid} \\(deploying v7, for \\d+ s\\)`)),
    );
    await deploy('v1'); // Another project is nobody's business.
    other.kill('SIGKILL');
    await once(other, 'exit');
    assert.equal((await deployer.deploy(busy)).state, 'live');
  });
});

describe('a rollback', () => {
  it('goes to the last good one before, and says why', async () => {
    const { deployer, deploy, rollback, state, history, idOf } = setUp();
    for (const version of ['v1', 'v2', 'v3']) await deploy(version);
    await deployer.verify(idOf('v2'), false, 'it lost orders');
    const back = await rollback();
    assert.deepEqual([back.id, back.state, state.live], [idOf('v1'), 'live', idOf('v1')]);
    assert.deepEqual(await history(), ['v3 rolled_back', 'v2 replaced false', 'v1 live']);
    const [taken] = (await deployer.history(`project ${count}`)).items;
    assert.equal(taken?.reason, 'it was slow');
  });

  it('goes to the one that was live before, whatever was deployed in between', async () => {
    const { deploy, rollback, history, idOf } = setUp();
    for (const version of ['v1', 'v2', 'v3']) await deploy(version);
    await rollback({ to: idOf('v1') }); // Past v2, of which nobody said that it is good.
    await deploy('v4');
    assert.equal((await rollback()).id, idOf('v1'));
    assert.deepEqual(await history(), [
      ...['v4 rolled_back', 'v3 rolled_back', 'v2 replaced', 'v1 live'],
    ]);
  });

  it('finds the live one behind any number of failures', async () => {
    const { deploy, rollback, place, idOf } = setUp();
    await deploy('v1');
    await deploy('v2');
    for (let number = 0; number < 501; number += 1) {
      const id = idOf(`failed-${number}`);
      await store.deployments.begin({ ...place, id, commit: 'x', startedAt: 5_000 });
      await store.deployments.change(id, ['building'], { state: 'failed' });
    }
    assert.equal((await rollback()).id, idOf('v1'));
  });

  it('of a deployment that was interrupted gives the traffic to the one before', async () => {
    const { deploy, state, idOf, place } = setUp();
    for (const version of ['v1', 'v2']) await deploy(version);
    // It has the traffic, and the process died before the history knew: the target alone knows.
    const { target } = toyTarget();
    const options = { folder: join(root, 'state'), targets: createTargets({ toy: target }) };
    const dying = createDeployer({ ...options, now: () => 9_000, deployments: dyingAt(2) });
    const id = idOf('v3');
    const source = { path: root, commit: 'v3' };
    await assert.rejects(dying.deploy({ ...place, id, source }), /died here/);
    const next = createDeployer({ ...options, deployments: store.deployments });
    assert.equal((await next.rollback({ ...place, reason: 'it was slow' })).id, idOf('v2'));
    const { items } = await next.history(place.project);
    assert.deepEqual(
      items.map((row) => row.state),
      ['rolled_back', 'live', 'replaced'],
    );
    assert.equal((await next.rollback({ ...place, reason: 'slow too' })).id, idOf('v1'));
    assert.ok(state.live);
  });

  it('goes where it is told to', async () => {
    const { deploy, rollback, history, idOf } = setUp();
    for (const version of ['v1', 'v2', 'v3']) await deploy(version);
    assert.equal((await rollback({ to: idOf('v1') })).id, idOf('v1'));
    assert.equal((await rollback({ to: idOf('v3') })).id, idOf('v3'), 'also forward');
    assert.deepEqual(await history(), ['v3 live', 'v2 replaced', 'v1 rolled_back']);
  });

  it('never goes forward by itself', async () => {
    const { deploy, rollback, idOf } = setUp();
    for (const version of ['v1', 'v2', 'v3']) await deploy(version);
    await rollback({ to: idOf('v1') });
    await assert.rejects(rollback(), fails('nothing_to_roll_back', /no earlier good deployment/));
  });

  it('is an error with nothing to go back to, and changes nothing', async () => {
    const { deploy, rollback, history, calls, idOf } = setUp();
    await assert.rejects(rollback(), fails('nothing_to_roll_back', /Nothing of project/));
    await deploy('v1');
    const before = calls.length;
    const words = /no earlier good deployment .* Nothing was changed/;
    await assert.rejects(rollback(), fails('nothing_to_roll_back', words));
    await assert.rejects(rollback({ to: 'nowhere' }), fails('not_found', /no deployment nowhere/));
    assert.deepEqual([await history(), calls.length], [['v1 live'], before]);
    assert.equal((await rollback({ to: idOf('v1') })).id, idOf('v1'), 'it is there already');
  });

  it('never goes to one that failed', async () => {
    const { deploy, rollback, state, idOf } = setUp();
    await deploy('v1');
    state.wrong = 'deploy';
    await assert.rejects(deploy('v2'));
    state.wrong = undefined;
    await deploy('v3');
    const words = /is failed: it never had the traffic/;
    await assert.rejects(rollback({ to: idOf('v2') }), fails('invalid_options', words));
    assert.equal((await rollback()).id, idOf('v1'));
  });

  it('leaves the history when the target cannot', async () => {
    const { deploy, rollback, state, history } = setUp();
    await deploy('v1');
    await deploy('v2');
    state.wrong = 'rollback';
    await assert.rejects(rollback(), fails('deploy_failed', /went wrong/));
    assert.deepEqual(await history(), ['v2 live', 'v1 replaced']);
  });

  it('of a named deployment is made once', async () => {
    const { deploy, rollback, history, idOf } = setUp();
    for (const version of ['v1', 'v2', 'v3']) await deploy(version);
    const from = idOf('v3');
    const first = await rollback({ from });
    assert.deepEqual(await rollback({ from }), first);
    assert.deepEqual(await history(), ['v3 rolled_back', 'v2 live', 'v1 replaced']);
    const words = /is replaced, not live/;
    await assert.rejects(rollback({ from: idOf('v1') }), fails('invalid_options', words));
  });

  it('is completed when the process died in the middle', async () => {
    for (const number of [1, 2]) {
      const { deploy, history, idOf, place } = setUp();
      for (const version of ['v1', 'v2']) await deploy(version);
      const options = {
        folder: join(root, 'state'),
        targets: createTargets({ toy: toyTarget().target }),
      };
      const order = { ...place, reason: 'bad' };
      const dying = createDeployer({ ...options, deployments: dyingAt(number) });
      await assert.rejects(dying.rollback(order), /died here/);
      const next = createDeployer({ ...options, deployments: store.deployments });
      assert.equal((await next.rollback(order)).id, idOf('v1'));
      assert.deepEqual(await history(), ['v2 rolled_back', 'v1 live']);
    }
  });
});

describe('whatever is done in whatever order', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('deploy' as const), fails: fc.boolean() }),
    fc.record({ do: fc.constant('verify' as const), passes: fc.boolean() }),
    fc.record({ do: fc.constantFrom('rollback' as const, 'withdraw' as const) }),
  );

  it('the history says what the target does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { deployer, deploy, rollback, place, state, idOf } = setUp();
        for (const [number, each] of steps.entries()) {
          const live = await store.deployments.live(place.project, place.target);
          if (each.do === 'deploy') {
            state.wrong = each.fails ? 'deploy' : undefined;
            await deploy(`v${number}`).catch(() => {});
          } else if (each.do === 'verify') {
            if (live !== undefined) await deployer.verify(live.id, each.passes);
          } else if (each.do === 'rollback') {
            await rollback().then(
              (to) => assert.ok(to.verified !== false && to.id !== live?.id),
              (error) => assert.ok(ForgeError.is(error, 'nothing_to_roll_back'), String(error)),
            );
          } else await deployer.withdraw({ ...place, reason: 'x' });
          const { items } = await deployer.history(place.project);
          const now = items.filter((row) => row.state === 'live').map(({ id }) => id);
          assert.deepEqual(now, state.live === undefined ? [] : [state.live]);
          assert.ok(items.every(({ id }) => id.startsWith(idOf(''))));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a withdrawal', () => {
  it('also stops what was interrupted before the history knew that it serves', async () => {
    const { deployer, deploy, place, state, history } = setUp({ deployments: dyingAt(2) });
    await assert.rejects(deploy('v1'), /died here/);
    assert.ok(state.live);
    await deployer.withdraw({ ...place, reason: 'enough' });
    assert.deepEqual([state.live, await history()], [undefined, ['v1 rolled_back']]);
  });

  it('stops serving and says why', async () => {
    const { deployer, deploy, place, state, history, idOf } = setUp();
    assert.equal(await deployer.withdraw({ ...place, reason: 'x' }), undefined);
    await deploy('v1');
    const row = await deployer.withdraw({ ...place, reason: 'it was bad', from: idOf('v1') });
    assert.deepEqual(
      [row?.state, row?.reason, state.live],
      ['rolled_back', 'it was bad', undefined],
    );
    assert.deepEqual(await history(), ['v1 rolled_back']);
    assert.equal((await deployer.health(place)).healthy, false);
    await deployer.withdraw({ ...place, reason: 'it was bad', from: idOf('v1') });
    await deploy('v2');
    assert.equal(await deployer.withdraw({ ...place, reason: 'x', from: idOf('v1') }), undefined);
    assert.equal(state.live, idOf('v2'));
  });
});
