import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { ForgeError, type JsonObject } from '@forge/core';
import { fateOf, identifyProcess, processesMarked } from '@forge/sandbox/owner';
import { freePort } from '../keeper/free-port.ts';
import { keeperFiles, readKeeperState } from '../keeper/keeper-state.ts';
import { markVariable } from '../keeper/process-group.ts';
import type { TargetContext } from '../target.ts';
import { writeService } from '../testing/service.ts';
import type { ProcessConfig } from './process-config.ts';
import { processTarget } from './process-target.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-process-target-'));
after(() => rmSync(root, { recursive: true, force: true }));
const node = process.execPath;
let count = 0;

function project(test: TestContext, more: JsonObject = {}, folder?: string) {
  count += 1;
  const context: TargetContext<ProcessConfig> = {
    project: `project-${count}`,
    folder: folder ?? join(root, `state-${count}`),
    config: processTarget.config.parse({
      start: [node, 'server.mjs'],
      health: { path: '/health', interval_ms: 10, timeout_s: 30 },
      stop_grace_s: 1,
      ...more,
    }),
    signal: test.signal,
    tell: () => {},
  };
  test.after(() => processTarget.stop({ ...context, signal: new AbortController().signal }));
  const tree = (version: string, files: Readonly<Record<string, string>> = {}) =>
    writeService(join(root, `trees-${context.project}`), version, { files });
  const release = async (version: string, files: Readonly<Record<string, string>> = {}) => {
    const built = await processTarget.build(context, tree(version, files), { id: version });
    return { built, live: await processTarget.deploy(context, built, { id: version }) };
  };
  return { context, tree, release };
}

const get = async (url: string | undefined, path = '/') =>
  await (await fetch(new URL(path, url), { headers: { connection: 'close' } })).text();

const marked = ({ folder }: { readonly folder: string }) =>
  processesMarked(`${markVariable}=${readKeeperState(folder)?.mark}.`);

const fails = (words: RegExp) => (error: unknown) => {
  assert.ok(ForgeError.is(error, 'deploy_failed'), String(error));
  assert.match(error.message, words);
  return true;
};

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('the process target', { concurrency: 2, timeout: 600_000 }, () => {
  it('says that a release is live whose caller let go after the switch', async (test) => {
    const { context, tree, release } = project(test, { stop_grace_s: 30 });
    const { live } = await release('v1');
    // The third release ends the first, and waits for its last request.
    const last = request(`${live.url}/echo`, { method: 'POST' });
    const answered = once(last, 'response');
    await new Promise<void>((sent) => last.write('x', () => sent()));
    assert.equal(await get(live.url), 'v1');
    await release('v2');
    const built = await processTarget.build(context, tree('v3'), { id: 'v3' });
    const letGo = new AbortController();
    const deployed = processTarget.deploy({ ...context, signal: letGo.signal }, built, {
      id: 'v3',
    });
    await until(async () => (await get(live.url)) === 'v3');
    letGo.abort(new ForgeError('cancelled', 'enough'));
    last.end();
    assert.equal((await deployed).url, live.url);
    const [response] = await answered;
    response.resume();
  });

  it('gives a release its port and its own variables, and no key of the caller', async (test) => {
    process.env.TARGETS_TEST_API_KEY = 'sk-do-not-show';
    test.after(() => delete process.env.TARGETS_TEST_API_KEY);
    const { context, release } = project(test, { env: { GREETING: 'hello' } });
    const { live } = await release('v1');
    const seen = JSON.parse(await get(live.url, '/environment'));
    assert.deepEqual([seen.GREETING, seen.HOST], ['hello', '127.0.0.1']);
    assert.match(seen.PORT, /^\d+$/);
    assert.equal(seen.TARGETS_TEST_API_KEY, undefined);
    const keeper = readKeeperState(context.folder)?.keeper?.pid;
    assert.doesNotMatch(readFileSync(`/proc/${keeper}/environ`, 'utf8'), /sk-do-not-show/);
  });

  it('lets nobody else read what may hold secrets, or give orders', async (test) => {
    const { context, release } = project(test, { env: { PASSWORD: 'x' } });
    const { built } = await release('v1');
    const { state, socket, releaseLog } = keeperFiles(context.folder);
    for (const path of [context.folder, state, socket, releaseLog('v1')]) {
      assert.equal(statSync(path).mode & 0o077, 0, path);
    }
    assert.deepEqual(built.detail, { release: 'v1' }, 'the history has no secret');
  });

  it('starts a release again that crashed, and says so', async (test) => {
    const { context, release } = project(test, { restart_delay_ms: 1 });
    const { live } = await release('v1');
    const before = await get(live.url, '/pid');
    await fetch(`${live.url}/crash`).catch(() => {});
    const { healthy, report } = await processTarget.healthCheck(context);
    assert.equal(healthy, true, report);
    assert.match(report, /It was restarted once/);
    assert.notEqual(await get(live.url, '/pid'), before);
  });

  it('gives a release up that crashes again and again, and says that too', async (test) => {
    const start = `if [ -e begun ]; then echo no more; exit 4; fi; touch begun; exec ${node} server.mjs`;
    const { context, release } = project(test, { start, restarts: 2, restart_delay_ms: 1 });
    const { live } = await release('v1');
    await fetch(`${live.url}/crash`).catch(() => {});
    const { healthy, report } = await processTarget.healthCheck(context);
    assert.equal(healthy, false);
    assert.match(report, /given up after 2 restarts in a row[\s\S]*no more/);
    const response = await fetch(live.url ?? '');
    assert.equal(response.status, 503);
    assert.match(await response.text(), /crashed again and again/);
    await release('v2', { begun: '' }).catch(() => {});
    rmSync(join(context.folder, 'releases', 'v1', 'begun'));
    const built = await processTarget.build(context, { path: '', commit: '' }, { id: 'v1' });
    await processTarget.deploy(context, built, { id: 'v1' });
    assert.equal(await get(live.url), 'v1', 'another deployment brings it back');
  });

  it('builds in a copy and leaves the source as it is', async (test) => {
    const build = 'echo compiling; printf "built healthy" > version';
    const { context, tree } = project(test, { build });
    const told: string[] = [];
    const source = tree('v1');
    const telling = { ...context, tell: (line: string) => told.push(line) };
    const built = await processTarget.build(telling, source, { id: 'v1' });
    const live = await processTarget.deploy(context, built, { id: 'v1' });
    assert.equal(await get(live.url), 'built');
    assert.equal(readFileSync(join(source.path, 'version'), 'utf8'), 'v1 healthy');
    assert.ok(told.includes('compiling'));
  });

  it('says what a build that fails printed, and keeps nothing of it', async (test) => {
    const { context, release } = project(test, { build: 'echo line 9: syntax; exit 3' });
    await assert.rejects(
      release('v1'),
      fails(/The build .*ended with code 3[\s\S]*line 9: syntax/),
    );
    assert.deepEqual(readdirSync(join(context.folder, 'releases')), []);
  });

  it('ends a build that hangs, with all it started', async (test) => {
    const build = 'setsid sleep 1000 & sleep 1000';
    const { context, release } = project(test, { build, build_timeout_s: 0.5 });
    await assert.rejects(release('v1'), fails(/took longer than 0.5 s/));
    assert.deepEqual(marked(context), []);
  });

  it('names a program that is not there, before and when it is started', async (test) => {
    const { context, tree, release } = project(test, { start: ['no-such-program', 'x'] });
    const [problem] = await processTarget.validate(context, tree('v1'));
    assert.match(problem?.problem ?? '', /deploy.config.start begins with "no-such-program"/);
    await assert.rejects(release('v1'), fails(/"no-such-program" could not be run/));
  });

  it('takes a program on trust that a build will make', async (test) => {
    const { context, tree } = project(test, { start: './out/service', build: 'sh make.sh' });
    assert.deepEqual(await processTarget.validate(context, tree('v1')), []);
  });

  it('ends the whole family of a release, also who left its group', async (test) => {
    const start = `setsid sleep 1000 & sleep 1000 & exec ${node} server.mjs`;
    const { context, release } = project(test, { start });
    await release('v1');
    assert.equal(marked(context).length, 3);
    await processTarget.stop(context);
    assert.deepEqual(marked(context), []);
  });

  it('keeps as many releases as it is told, and says that one is gone', async (test) => {
    const { context, release } = project(test, { keep: 2 });
    const { built } = await release('v1');
    await release('v2');
    await release('v3');
    const kept = readdirSync(join(context.folder, 'releases')).sort();
    assert.deepEqual(kept, ['v2', 'v2.json', 'v3', 'v3.json']);
    await assert.rejects(
      processTarget.rollback(context, { id: 'v1', built }),
      fails(/v1 is not kept here any more/),
    );
  });

  it('moves to another address on the same port', async (test) => {
    const port = await freePort();
    const { context, tree, release } = project(test, { port });
    await release('v1');
    const wider = { ...context, config: { ...context.config, host: '0.0.0.0' } };
    assert.deepEqual(await processTarget.validate(wider, tree('v2')), []);
    const built = await processTarget.build(wider, tree('v2'), { id: 'v2' });
    const live = await processTarget.deploy(wider, built, { id: 'v2' });
    assert.equal(live.url, `http://127.0.0.1:${port}`);
    assert.equal(await get(live.url), 'v2');
    assert.equal(readKeeperState(context.folder)?.host, '0.0.0.0');
  });

  it('keeps the logs of few releases', async (test) => {
    const { context, release } = project(test, { keep: 1 });
    const logs = join(context.folder, 'logs');
    mkdirSync(logs, { recursive: true });
    for (let number = 0; number < 100; number += 1) {
      writeFileSync(join(logs, `old-${number}.log`), 'x');
      utimesSync(join(logs, `old-${number}.log`), number, number);
    }
    await release('v1');
    const left = readdirSync(logs);
    assert.ok(left.includes('v1.log') && left.includes('old-99.log') && left.length <= 21);
  });

  it('is live even if old releases cannot be removed', async (test) => {
    const { context, release } = project(test, { keep: 1 });
    await release('v1');
    const held = join(context.folder, 'releases', 'v1', 'held');
    mkdirSync(held);
    if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', held], { stdio: 'ignore' }).status !== 0) {
      test.skip('no file system can be mounted here');
      return;
    }
    try {
      await release('v2');
      const told: string[] = [];
      const telling = { ...context, tell: (line: string) => told.push(line) };
      const built = await processTarget.build(telling, writeService(root, 'v3'), { id: 'v3' });
      const live = await processTarget.deploy(telling, built, { id: 'v3' });
      assert.equal(await get(live.url), 'v3');
      assert.match(told.join('\n'), /It is live, but .*v1/);
    } finally {
      spawnSync('umount', ['-l', held], { stdio: 'ignore' });
    }
  });

  it('says that it cannot read what it wrote, instead of forgetting what runs', async (test) => {
    const { context, release } = project(test);
    await release('v1');
    const { state: file } = keeperFiles(context.folder);
    const right = readFileSync(file, 'utf8');
    const { keeper } = readKeeperState(context.folder) ?? {};
    process.kill(keeper?.pid ?? 0, 'SIGKILL');
    try {
      for (const wrong of [right.replace('"v": 1', '"v": 2'), right.slice(0, -9)]) {
        writeFileSync(file, wrong);
        await assert.rejects(processTarget.stop(context), fails(/keeper.json/));
        await assert.rejects(processTarget.healthCheck(context), fails(/keeper.json/));
        await assert.rejects(release('v2'), fails(/keeper.json/));
        assert.equal(readFileSync(file, 'utf8'), wrong);
      }
    } finally {
      writeFileSync(file, right);
    }
    assert.equal((await processTarget.healthCheck(context)).healthy, true);
  });

  it('takes over the running process when its keeper was killed', async (test) => {
    const { context, release } = project(test);
    const { live } = await release('v1');
    const before = await get(live.url, '/pid');
    process.kill(readKeeperState(context.folder)?.keeper?.pid ?? 0, 'SIGKILL');
    assert.equal((await processTarget.healthCheck(context)).healthy, true);
    assert.equal(await get(live.url, '/pid'), before, 'it went on all the time');
    await fetch(`${live.url}/crash`).catch(() => {});
    assert.equal((await processTarget.healthCheck(context)).healthy, true, 'and is looked after');
    assert.notEqual(await get(live.url, '/pid'), before);
  });

  it('starts the live release again when it was killed with its keeper', async (test) => {
    const { context, release } = project(test);
    const { live } = await release('v1');
    const pid = Number(await get(live.url, '/pid'));
    process.kill(readKeeperState(context.folder)?.keeper?.pid ?? 0, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    assert.equal((await processTarget.healthCheck(context)).healthy, true);
    assert.equal(await get(live.url), 'v1');
  });

  it('works in a folder whose name is longer than that of a socket may be', async (test) => {
    const folder = join(root, 'long-'.repeat(20), 'folder-'.repeat(12));
    const { release } = project(test, {}, folder);
    const { live } = await release('v1');
    assert.equal(await get(live.url), 'v1');
  });

  it('clears away what a killed caller began, and completes it when asked again', async (test) => {
    const go = join(root, `go-${count}`);
    const start = `while [ ! -e ${go} ]; do sleep 0.05; done; exec ${node} server.mjs`;
    const { context, tree } = project(test, { start });
    const source = tree('v1');
    const caller = startCaller(context, source.path);
    test.after(() => caller.kill('SIGKILL'));
    await untilSaid(caller, 'Started v1');
    const began = readKeeperState(context.folder)?.releases.v1?.process;
    assert.ok(began);
    caller.kill('SIGKILL');
    await until(() => fateOf(began) === 'dead');
    writeFileSync(go, '');
    const built = await processTarget.build(context, source, { id: 'v1' });
    const live = await processTarget.deploy(context, built, { id: 'v1' });
    assert.equal(await get(live.url), 'v1');
  });

  it('ends the build of a caller that was killed, and builds anew when asked again', async (test) => {
    const { context, tree } = project(test, {
      build: 'echo begun; if [ ! -e ../../go ]; then sleep 1000; fi; echo x > made',
    });
    const source = tree('v1');
    const caller = startCaller(context, source.path);
    test.after(() => caller.kill('SIGKILL'));
    await untilSaid(caller, 'begun');
    caller.kill('SIGKILL');
    await until(() => marked(context).length === 0);
    writeFileSync(join(context.folder, 'go'), '');
    const built = await processTarget.build(context, source, { id: 'v1' });
    await processTarget.deploy(context, built, { id: 'v1' });
    assert.ok(existsSync(join(context.folder, 'releases', 'v1', 'made')));
  });

  it('says that the disk is full, and serves on', async (test) => {
    const disk = join(root, 'disk');
    mkdirSync(disk);
    const options = ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk];
    if (spawnSync('mount', options, { stdio: 'ignore' }).status !== 0) {
      test.skip('no file system can be mounted here');
      return;
    }
    try {
      const { context, release } = project(test, {}, join(disk, 'state'));
      const { live } = await release('v1');
      await assert.rejects(release('v2', { large: 'x'.repeat(4_000_000) }), fails(/disk is full/));
      assert.deepEqual(readdirSync(join(context.folder, 'releases')).sort(), ['v1', 'v1.json']);
      fill(join(disk, 'filler'));
      await assert.rejects(release('v3'), fails(/disk is full/));
      assert.equal(await get(live.url), 'v1');
      rmSync(join(disk, 'filler'));
      await release('v4');
      assert.equal(await get(live.url), 'v4');
      await processTarget.stop(context);
    } finally {
      spawnSync('umount', ['-l', disk], { stdio: 'ignore' });
    }
  });

  it('ends everything when its folder is removed', async (test) => {
    const { context, release } = project(test);
    const { live } = await release('v1');
    const before = readKeeperState(context.folder);
    assert.ok(before?.keeper);
    rmSync(context.folder, { recursive: true, force: true });
    const { keeper, mark } = before;
    await until(() => fateOf(keeper) === 'dead');
    assert.deepEqual(processesMarked(`${markVariable}=${mark}.`), []);
    await assert.rejects(get(live.url));
    assert.equal(existsSync(context.folder), false, 'and does not make it again');
  });

  it('knows a process from a later one with the same number', async (test) => {
    const { context, release } = project(test);
    const { live } = await release('v1');
    const state = readKeeperState(context.folder);
    process.kill(state?.keeper?.pid ?? 0, 'SIGKILL');
    const own = identifyProcess(process.pid);
    assert.ok(state && own && state.releases.v1);
    // As if this test had got the number of the release after a restart of the machine.
    const forged = { ...state.releases.v1, process: { ...own, started: '1' } };
    writeFileSync(
      keeperFiles(context.folder).state,
      JSON.stringify({ ...state, releases: { v1: forged } }),
    );
    assert.equal((await processTarget.healthCheck(context)).healthy, true);
    assert.equal(await get(live.url), 'v1');
    assert.equal(marked(context).length, 1, 'what was left was ended by its mark');
  });
});

/** Another process that builds and deploys `v1`. */
function startCaller(context: TargetContext<ProcessConfig>, path: string): ChildProcess {
  const target = new URL('./process-target.ts', import.meta.url).href;
  const { signal: _, tell: __, ...rest } = context;
  const program = `
    import { processTarget } from ${JSON.stringify(target)};
    const context = { ...${JSON.stringify(rest)}, signal: new AbortController().signal, tell: console.log };
    const built = await processTarget.build(context, { path: ${JSON.stringify(path)}, commit: '' }, { id: 'v1' });
    await processTarget.deploy(context, built, { id: 'v1' });`;
  return spawn(node, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function untilSaid({ stdout }: ChildProcess, words: string): Promise<void> {
  assert.ok(stdout);
  for (let said = ''; !said.includes(words); ) said += String((await once(stdout, 'data'))[0]);
}

function fill(file: string): void {
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
