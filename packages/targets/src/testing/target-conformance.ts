import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ForgeError, type JsonObject } from '@forge/core';
import { readKeeperState } from '../keeper/keeper-state.ts';
import type { Built, Source, Target, TargetContext } from '../target.ts';
import { hammer } from './hammer.ts';
import { type Behaviour, writeService } from './service.ts';

export interface ConformanceSetting {
  readonly target: Target<unknown>;
  /** What every deployment of the test service needs. `health` and `port` are added to it. */
  readonly config: JsonObject;
  /** What lies in the tree beside the service. */
  readonly files?: Readonly<Record<string, string>>;
  stop?(): void | Promise<void>;
}

/**
 * What every target that serves HTTP from this machine has to do, whatever it runs. The test service
 * is `server.mjs` in a tree, for Node.js.
 */
export function targetConformance(name: string, prepare: () => Promise<ConformanceSetting>): void {
  describe(`${name} conforms`, { timeout: 600_000 }, () => {
    const root = mkdtempSync(join(tmpdir(), 'forge-targets-'));
    const mark = randomBytes(4).toString('hex');
    let setting: ConformanceSetting;
    let target: Target<unknown>;
    let count = 0;
    const used: TargetContext<unknown>[] = [];

    before(async () => {
      setting = await prepare();
      target = setting.target;
    });
    after(async () => {
      for (const context of used) await target.stop({ ...context, signal: never() });
      await setting?.stop?.();
      rmSync(root, { recursive: true, force: true });
    });

    const configOf = (more: JsonObject, health: JsonObject) =>
      target.config.parse({
        ...setting.config,
        health: { path: '/health', interval_ms: 20, timeout_s: 60, ...health },
        ...more,
      });

    /** A project of its own for each test, also beside those that a killed run left in a daemon. */
    const project = (more: JsonObject = {}, health: JsonObject = {}) => {
      count += 1;
      const told: string[] = [];
      const context: TargetContext<unknown> = {
        project: `project-${mark}-${count}`,
        folder: join(root, `state-${count}`),
        config: configOf(more, health),
        signal: never(),
        tell: (line) => told.push(line),
      };
      used.push(context);
      const source = (version: string, behaviour: Behaviour = 'healthy'): Source =>
        writeService(join(root, `trees-${context.project}`), version, {
          behaviour,
          ...(setting.files !== undefined && { files: setting.files }),
        });
      const release = async (version: string, behaviour?: Behaviour) => {
        const built = await target.build(context, source(version, behaviour), { id: version });
        return { built, live: await target.deploy(context, built, { id: version }) };
      };
      return { context, source, release, told };
    };

    it('deploys, answers at its address, and is healthy', async () => {
      const { context, release } = project();
      const { built, live } = await release('v1');
      assert.match(built.digest, /^sha256:[0-9a-f]{64}$/);
      assert.equal(live.digest, built.digest);
      assert.equal(await textOf(live.url), 'v1');
      const { healthy, report } = await target.healthCheck(context);
      assert.deepEqual([healthy, report.includes('/health gave 200')], [true, true], report);
    });

    it('finds nothing wrong with what works, and says what is missing', async () => {
      const { context, source } = project();
      assert.deepEqual(await target.validate(context, source('v1')), []);
      const empty = { path: join(root, 'nowhere'), commit: '0'.repeat(40) };
      const problems = await target.validate(context, empty);
      assert.ok(problems.length > 0);
      for (const { problem, fix } of problems) assert.ok(problem !== '' && fix !== '');
    });

    it('says that a port is taken before anything is built, and when it is deployed', async () => {
      const taker = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => taker.once('listening', resolve));
      const taken = taker.address();
      const port = typeof taken === 'object' && taken !== null ? taken.port : 0;
      try {
        const { context, source, release } = project({ port });
        const [problem] = await target.validate(context, source('v1'));
        assert.match(problem?.problem ?? '', new RegExp(`Port ${port} .*is taken`));
        await assert.rejects(release('v1'), failsWith(new RegExp(`Port ${port} .*is taken`)));
      } finally {
        taker.close();
      }
    });

    it('drops no request when a new version takes over, and none when it goes back', async () => {
      const { context, release } = project();
      const first = await release('v1');
      const url = first.live.url ?? '';
      const hammering = hammer(url);
      await hammering.more(20);
      const second = await release('v2');
      await hammering.more(20);
      assert.equal(second.live.url, url);
      assert.equal(await textOf(url), 'v2');
      await release('v3'); // Ends v1.
      await hammering.more(20);
      const back = await target.rollback(context, { id: 'v2', built: second.built });
      await hammering.more(20);
      assert.equal(await textOf(url), 'v2');
      assert.deepEqual([back.url, back.digest], [url, second.built.digest]);
      const { answers, failures } = await hammering.stop();
      assert.deepEqual(failures, []);
      assert.deepEqual([...answers.keys()].sort(), ['v1', 'v2', 'v3']);
    });

    it('lets a request that began with the version before end there', async () => {
      const { release } = project();
      const { live } = await release('v1');
      const url = live.url ?? '';
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const request = ask(`${url}/echo`, { method: 'POST' }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      request.on('error', reject);
      await new Promise<void>((sent) => request.write('be', () => sent()));
      await reached(url, 'v1');
      await release('v2');
      assert.equal(await textOf(url), 'v2');
      request.end('gun');
      assert.equal(await promise, 'v1:begun');
    });

    it('goes back to a release that does not run any more', async () => {
      const { context, release } = project();
      const { built, live } = await release('v1');
      await release('v2');
      await release('v3');
      await target.rollback(context, { id: 'v1', built });
      assert.equal(await textOf(live.url), 'v1');
      assert.equal((await target.healthCheck(context)).healthy, true);
    });

    // Those that never get well are waited for in full, and have to begin within that time.
    const bad: readonly [Behaviour, RegExp, number][] = [
      ['sick', /500 instead of 200/, 4],
      ['flaps', /never \d in a row|500 instead of 200/, 4],
      ['dies', /ended with code 7[\s\S]*cannot go on/, 60],
    ];
    for (const [behaviour, words, patience] of bad) {
      it(`leaves the old version serving when the new one ${behaviour === 'sick' ? 'is sick' : behaviour}`, async () => {
        const { context, source, release } = project();
        const { live } = await release('v1');
        const hammering = hammer(live.url ?? '', 1);
        const impatient = { ...context, config: configOf({}, { timeout_s: patience }) };
        const built = await target.build(impatient, source('v2', behaviour), { id: 'v2' });
        const deployed = target.deploy(impatient, built, { id: 'v2' });
        await assert.rejects(deployed, failsWith(words));
        await hammering.more(3);
        const { answers, failures } = await hammering.stop();
        assert.deepEqual([[...answers.keys()], failures], [['v1'], []]);
        assert.equal((await target.healthCheck(context)).healthy, true);
      });
    }

    it('takes the same release again for the same', async () => {
      const { context, source, release } = project();
      const { built, live } = await release('v1');
      const again = await target.build(context, source('v1'), { id: 'v1' });
      assert.deepEqual(again, built);
      assert.deepEqual(await target.deploy(context, again, { id: 'v1' }), live);
      assert.equal(await textOf(live.url), 'v1');
    });

    it('clears away a deployment whose caller gave up, and completes it the next time', async () => {
      const { context, source } = project({}, { timeout_s: 60 });
      const built = await target.build(context, source('v1', 'sick'), { id: 'v1' });
      const giveUp = new AbortController();
      const tell = (line: string) => {
        if (line.startsWith('Started')) giveUp.abort(new ForgeError('cancelled', 'enough'));
      };
      const hurried = { ...context, signal: giveUp.signal, tell };
      await assert.rejects(target.deploy(hurried, built, { id: 'v1' }));
      const good = await target.build(context, source('v2'), { id: 'v2' });
      const live = await target.deploy(context, good, { id: 'v2' });
      assert.equal(await textOf(live.url), 'v2');
    });

    it('serves again at the same address after its keeper was killed', async () => {
      const { context, release } = project();
      const { live } = await release('v1');
      const second = await release('v2');
      killKeeper(context.folder);
      assert.equal((await target.healthCheck(context)).healthy, true);
      assert.equal(await textOf(live.url), 'v2');
      killKeeper(context.folder);
      const built: Built = { ...second.built };
      assert.equal((await target.deploy(context, built, { id: 'v2' })).url, live.url);
      killKeeper(context.folder);
      await release('v3');
      assert.equal(await textOf(live.url), 'v3');
    });

    it('ends everything, also twice, and also what a killed keeper left', async () => {
      const { context, release } = project();
      await target.stop(context);
      const { live } = await release('v1');
      killKeeper(context.folder);
      await target.stop(context);
      await assert.rejects(textOf(live.url));
      await target.stop(context);
      assert.equal((await target.healthCheck(context)).healthy, false);
    });
  });
}

function never(): AbortSignal {
  return new AbortController().signal;
}

async function textOf(url: string | undefined): Promise<string> {
  return await (await fetch(url ?? '')).text();
}

/** Another request went through: what was sent before is with the service, or on its way to it. */
async function reached(url: string, version: string): Promise<void> {
  assert.equal(await textOf(url), version);
}

function failsWith(words: RegExp) {
  return (error: unknown) => {
    assert.ok(ForgeError.is(error, 'deploy_failed'), String(error));
    assert.match(error.message, words);
    return true;
  };
}

function killKeeper(folder: string): void {
  const { keeper } = readKeeperState(folder) ?? {};
  assert.ok(keeper);
  process.kill(keeper.pid, 'SIGKILL');
}
