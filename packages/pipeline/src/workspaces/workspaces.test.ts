import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defineTool, ForgeError, performTool, textOf } from '@forge/core';
import {
  createBubblewrapBackend,
  createProcessBackend,
  type SandboxBackend,
  type SandboxOptions,
} from '@forge/sandbox';
import type { Store } from '@forge/store';
import type { WorkspacePort } from '../agents/ports.ts';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from './create-workspaces.ts';
import { runRef } from './run-ref.ts';
import type { WorkspaceNotice } from './run-workspace.ts';
import {
  commitOn,
  contextOf,
  Ground,
  git,
  inside,
  startRun,
  usersOwn,
} from './workspace-fixtures.test.ts';

const ground = new Ground();
const backends: Readonly<Record<string, SandboxBackend>> = {
  process: createProcessBackend({ trusted: true }),
  bubblewrap: createBubblewrapBackend(),
};
const all: Workspaces[] = [];
let store: Store;
let count = 0;

before(async () => {
  store = await ground.store();
});
after(async () => {
  for (const each of all) await each.close();
  for (const backend of Object.values(backends)) await backend.close();
  await store.close();
  ground.remove();
});

const fails = (code: Parameters<typeof ForgeError.is>[1], pattern: RegExp) => (error: unknown) =>
  ForgeError.is(error, code) && pattern.test(error.message);

function workspacesWith(options: Partial<WorkspacesOptions> = {}): Workspaces {
  const backend = async () => backends.process as SandboxBackend;
  const made = createWorkspaces({ store, backend, now: () => 1_000_000, ...options });
  all.push(made);
  return made;
}

/** A run on a repository of its own. */
async function runOn(files: Readonly<Record<string, string>>) {
  const { repo, head } = ground.repository(files);
  count += 1;
  const runId = `run-${count}`;
  await startRun(store, { id: runId, labels: { 'forge.repo': repo, 'forge.base': head } });
  const kept = () => git(repo, 'for-each-ref', '--format=%(objectname)', runRef(runId));
  return { repo, head, runId, kept };
}

for (const [name, backend] of Object.entries(backends)) {
  describe(`the tree of a run (${name})`, () => {
    it('outlives its sandbox, and touches nothing of the user’s own', async () => {
      const { repo, head, runId, kept } = await runOn({ a: 'a\n', '.gitignore': '*.log\n' });
      writeFileSync(join(repo, 'dirty'), 'not committed\n');
      const before = usersOwn(repo);
      const first = workspacesWith({ backend: async () => backend });
      const sandbox = await first.sandboxOf({ runId });
      assert.equal(await inside(sandbox, 'git status --porcelain; ls'), 'a\n');
      const untouched = await first.keep(runId, 'Nothing');
      assert.deepEqual(untouched, {
        commit: head,
        tree: git(repo, 'rev-parse', 'HEAD^{tree}'),
        files: [],
        changed: false,
      });
      assert.equal(kept(), '');
      await inside(sandbox, 'echo b > b; echo more >> a; echo x > x.log');
      const checkpoint = await first.keep(runId, 'Two files');
      assert.deepEqual([checkpoint.files, checkpoint.changed], [['a', 'b'], true]);
      assert.equal(kept(), checkpoint.commit);
      assert.equal(
        git(repo, 'show', '-s', '--format=%P %an %ct %s', checkpoint.commit),
        `${head} Forge 1000 Two files`,
      );
      assert.deepEqual(await first.keep(runId, 'Again'), { ...checkpoint, changed: false });
      await first.close();
      const second = workspacesWith({ backend: async () => backend });
      assert.equal(await second.treeOf(runId), checkpoint.tree);
      const again = await second.sandboxOf({ runId });
      assert.equal(
        await inside(again, 'cat a b; ls; git log --format=%s'),
        'a\nmore\nb\na\nb\nOne\n',
      );
      assert.equal(await inside(again, 'git status --porcelain'), ' M a\n?? b\n');
      assert.equal(usersOwn(repo), before);
    });

    it('goes on in a new sandbox with the same options when one has died, and says so', async () => {
      const { runId } = await runOn({ a: 'a\n' });
      const started: (SandboxOptions | undefined)[] = [];
      const notices: WorkspaceNotice[] = [];
      const spied: SandboxBackend = {
        ...backend,
        name: backend.name,
        start: (options) => {
          started.push(options);
          return backend.start(options);
        },
      };
      const workspaces = workspacesWith({
        backend: async () => spied,
        sandboxOptions: { env: { GREETING: 'hello' }, limits: { pids: 100 } },
        onNotice: (notice) => notices.push(notice),
      });
      const sandbox = await workspaces.sandboxOf({ runId });
      await inside(sandbox, 'echo kept > b');
      await workspaces.keep(runId, 'One');
      await inside(sandbox, 'echo lost > c');
      await sandbox.stop();
      await assert.rejects(
        workspaces.keep(runId, 'Two'),
        fails('not_running', /next call begins a new one/),
      );
      const next = await workspaces.sandboxOf({ runId });
      assert.notEqual(next, sandbox);
      assert.equal(await inside(next, 'echo $GREETING; ls'), 'hello\na\nb\n');
      assert.deepEqual(started[1], started[0]);
      assert.deepEqual(started[0]?.labels, { 'forge.run': runId });
      assert.deepEqual(notices, [
        { type: 'sandbox_replaced', runId, message: 'The sandbox ended and was started again.' },
      ]);
    });
  });
}

describe('the sandbox of a run', () => {
  it('is begun once, however many ask, and again only after a release', async () => {
    const { runId } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith();
    const asked = await Promise.all([1, 2, 3].map(() => workspaces.sandboxOf({ runId })));
    assert.equal(new Set(asked).size, 1);
    await workspaces.release(runId);
    assert.equal(asked[0]?.state(), 'stopped');
    assert.notEqual(await workspaces.sandboxOf({ runId }), asked[0]);
  });

  it('fails clearly when it died and no other can be had', async () => {
    const { runId } = await runOn({ a: 'a\n' });
    const backend = createProcessBackend({ trusted: true });
    const workspaces = workspacesWith({ backend: async () => backend });
    await workspaces.sandboxOf({ runId });
    await backend.close();
    await assert.rejects(
      workspaces.sandboxOf({ runId }),
      fails('sandbox_failed', /^Sandbox died and could not be restarted: .*closed/),
    );
  });

  it('is not waited for by who gave up, and is there for the others', async () => {
    const { runId } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith();
    const gaveUp = new AbortController();
    const one = workspaces.sandboxOf({ runId, signal: gaveUp.signal });
    const two = workspaces.sandboxOf({ runId });
    gaveUp.abort(new Error('enough'));
    await assert.rejects(one, /enough/);
    assert.equal((await two).state(), 'running');
  });

  it('is not begun for a run that has ended meanwhile', async () => {
    const { runId } = await runOn({ a: 'a\n' });
    let asked = 0;
    const backend = createProcessBackend({ trusted: true });
    const workspaces = workspacesWith({
      backend: async () => {
        asked += 1;
        return backend;
      },
    });
    const signal = AbortSignal.abort(new Error('ended'));
    await assert.rejects(workspaces.sandboxOf({ runId, signal }), /ended/);
    await workspaces.release(runId);
    await backend.close();
    assert.equal(asked, 0);
  });

  it('is refused to runs that name no repository, or a commit that is not there', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const cases = [
      [{}, /no label forge\.repo/],
      [{ 'forge.repo': repo, 'forge.base': 'main' }, /not the full hash/],
      [{ 'forge.repo': repo, 'forge.base': '0'.repeat(40) }, /no commit/],
      [{ 'forge.repo': join(repo, 'gone'), 'forge.base': head }, /no folder/],
      [{ 'forge.repo': ground.folderWith({}), 'forge.base': head }, /not in a git repository/],
    ] as const;
    for (const [labels, pattern] of cases) {
      count += 1;
      const runId = `run-${count}`;
      await startRun(store, { id: runId, labels });
      await assert.rejects(workspacesWith().sandboxOf({ runId }), (error) => {
        assert.ok(ForgeError.is(error));
        assert.match(error.message, pattern);
        return true;
      });
    }
    await assert.rejects(
      workspacesWith().sandboxOf({ runId: 'nobody' }),
      fails('not_found', /no run/),
    );
  });
});

describe('where a run begins', () => {
  const begin = async (
    repo: string,
    base: string,
    input: Parameters<typeof startRun>[1]['input'],
  ) => {
    count += 1;
    const id = `run-${count}`;
    const labels = { 'forge.repo': repo, 'forge.base': base };
    await startRun(store, { id, labels, ...(input !== undefined && { input }) });
    return (await workspacesWith().repoOf(id)).base;
  };

  it('is the commit of its input, else that of its label', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const other = commitOn(repo, head, { a: 'b\n' });
    assert.equal(await begin(repo, head, { commit: other, task: 'x' }), other);
    assert.equal(await begin(repo, head, 'Fix the thing.'), head);
    assert.equal(await begin(repo, head, { request: 'x' }), head);
    assert.equal(await begin(repo, head, undefined), head);
  });

  it('is the work it builds on, merged where that is several', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const one = commitOn(repo, head, { b: 'b\n' });
    const two = commitOn(repo, head, { c: 'c\n' });
    assert.equal(await begin(repo, head, { commit: head, done: [] }), head);
    assert.equal(await begin(repo, head, { commit: head, done: [{ commit: one }] }), one);
    const done = [{ commit: one }, { commit: two }];
    const merged = await begin(repo, head, { commit: head, done });
    assert.equal(git(repo, 'ls-tree', '--name-only', merged), 'a\nb\nc');
    assert.equal(
      await begin(repo, head, { commit: head, done }),
      merged,
      'the same for all who ask',
    );
  });

  it('is not guessed where its input is too long to be read', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const other = commitOn(repo, head, { a: 'b\n' });
    const input = { commit: other, request: 'x'.repeat(10_000_001) };
    await assert.rejects(begin(repo, head, input), fails('too_large', /longer than/));
  });

  it('leaves out what does not fit, and says so to the model and to people', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    const changes: Record<string, string>[] = [{ a: 'b\n' }, { a: 'c\n' }, { d: 'd\n' }];
    const done = changes.map((files) => ({ commit: commitOn(repo, head, files) }));
    const labels = { 'forge.repo': repo, 'forge.base': head };
    await startRun(store, { id: 'builds-on', labels, input: { commit: head, done } });
    const notices: string[] = [];
    const workspaces = workspacesWith({ onNotice: ({ message }) => notices.push(message) });
    const sandbox = await workspaces.sandboxOf({ runId: 'builds-on' });
    assert.equal(await inside(sandbox, 'cat a d'), 'b\nd\n');
    assert.match(notices.join(), /which it builds on, does not fit the rest: a\.$/);
    const list = defineTool({
      name: 'list',
      description: 'Lists.',
      input: { type: 'object' },
      run: () => 'a d',
    });
    const [tool] = workspaces.checkpointed([list]);
    assert.ok(tool);
    const result = await performTool(tool, {}, contextOf('builds-on'));
    assert.match(textOf(result), /not all here\. The work of .*does not fit[\s\S]*\+c\n/);
  });
});

describe('keeping', () => {
  it('is shared by those who ask while another keep is under way', async () => {
    const { runId, repo, kept } = await runOn({ a: 'a\n' });
    const steps: string[] = [];
    const workspaces = workspacesWith({ onStep: (step) => steps.push(step) });
    const sandbox = await workspaces.sandboxOf({ runId });
    await inside(sandbox, 'echo b > b');
    const first = workspaces.keep(runId, 'first');
    await inside(sandbox, 'echo c > c');
    const others = await Promise.all(['x', 'y', 'z'].map((name) => workspaces.keep(runId, name)));
    assert.ok((await first).files.includes('b'));
    for (const { files } of others) assert.deepEqual(files, ['b', 'c']);
    assert.ok(steps.filter((step) => step === 'begun').length <= 3, steps.join(' '));
    assert.equal(git(repo, 'rev-parse', `${kept()}^`), git(repo, 'rev-parse', 'HEAD'));
  });

  it('gives the start where all was undone, and a history of what was kept', async () => {
    const { runId, repo, head, kept } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith();
    const sandbox = await workspaces.sandboxOf({ runId });
    await inside(sandbox, 'echo b > b');
    await workspaces.keep(runId, 'Added');
    await inside(sandbox, 'rm b');
    const back = await workspaces.keep(runId, 'Removed');
    assert.deepEqual([back.commit, back.files, back.changed, kept()], [head, [], true, head]);
    await inside(sandbox, 'echo c > c');
    await workspaces.keep(runId, 'Other');
    const log = git(repo, 'log', '-g', '--format=%gs', runRef(runId));
    assert.deepEqual(log.replaceAll(/^@\d+ /gm, '').split('\n'), ['Other', 'Removed', 'Added']);
  });

  it('makes the commit that was asked for, once', async () => {
    const { runId, repo, head } = await runOn({ a: 'a\n' });
    let now = 5_000;
    const workspaces = workspacesWith({ now: () => (now += 60_000) });
    const port: WorkspacePort = workspaces;
    assert.equal((await port.commit(runId, 'Nothing done')).commit, head);
    await inside(await workspaces.sandboxOf({ runId }), 'echo b > b');
    await workspaces.keep(runId, 'Checkpoint');
    const result = await port.commit(runId, 'Add b\n\nBecause.');
    assert.equal(
      git(repo, 'show', '-s', '--format=%P %B', result.commit),
      `${head} Add b\n\nBecause.`,
    );
    assert.deepEqual(await port.commit(runId, 'Add b\n\nBecause.\n'), result);
    assert.equal((await workspaces.keep(runId, 'Checkpoint')).commit, result.commit);
    const later = workspacesWith({ now: () => now });
    assert.deepEqual(await later.commit(runId, 'Add b\n\nBecause.'), result);
  });

  it('is refused to one whose run somebody else has taken up', async () => {
    const { runId } = await runOn({ a: 'a\n' });
    const [mine, theirs] = [workspacesWith(), workspacesWith()];
    await inside(await mine.sandboxOf({ runId }), 'echo mine > b');
    await inside(await theirs.sandboxOf({ runId }), 'echo theirs > b');
    await theirs.keep(runId, 'Theirs');
    await assert.rejects(
      mine.keep(runId, 'Mine'),
      fails('seq_conflict', /changed by somebody else/),
    );
    assert.equal(await inside(await mine.sandboxOf({ runId }), 'cat b'), 'theirs\n');
  });

  it('works from a second work tree of the repository', async () => {
    const { repo, head } = ground.repository({ a: 'a\n' });
    git(repo, 'worktree', 'add', '-q', '-b', 'other', '../second');
    const second = join(repo, '../second');
    const runId = 'in-second';
    await startRun(store, { id: runId, labels: { 'forge.repo': second, 'forge.base': head } });
    const workspaces = workspacesWith();
    await inside(await workspaces.sandboxOf({ runId }), 'echo b > b');
    const { commit } = await workspaces.keep(runId, 'One');
    assert.equal(git(repo, 'rev-parse', runRef(runId)), commit);
    assert.equal(git(second, 'status', '--porcelain'), '');
  });

  it('goes on for the others when one gives up', async () => {
    const { runId, kept } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith();
    await inside(await workspaces.sandboxOf({ runId }), 'echo b > b');
    const gaveUp = new AbortController();
    const one = workspaces.keep(runId, 'One', gaveUp.signal);
    const two = workspaces.keep(runId, 'Two');
    gaveUp.abort(new Error('enough'));
    await assert.rejects(one, /enough/);
    assert.equal((await two).commit, kept());
    await workspaces.close();
    await assert.rejects(workspaces.keep(runId, 'Three'), fails('not_running', /closed/));
  });

  it('is not held up by the lock of a git that died', async () => {
    const { runId, repo, kept } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith();
    const sandbox = await workspaces.sandboxOf({ runId });
    await inside(sandbox, 'echo b > b');
    await workspaces.keep(runId, 'One');
    writeFileSync(join(repo, '.git', `${runRef(runId)}.lock`), '');
    await inside(sandbox, 'echo c > c');
    assert.equal((await workspaces.keep(runId, 'Two')).commit, kept());
  });

  it('brings nothing out over its limit, and says what to do', async () => {
    const { runId, kept } = await runOn({ a: 'a\n' });
    const workspaces = workspacesWith({ limits: { bytes: 1_000 } });
    await inside(await workspaces.sandboxOf({ runId }), 'head -c 2000 /dev/zero > big');
    await assert.rejects(workspaces.keep(runId, 'Big'), fails('too_large', /1000 bytes/));
    assert.equal(kept(), '');
  });
});

describe('a process that is killed while it keeps', () => {
  const fixture = fileURLToPath(new URL('./keep-and-die.fixture.ts', import.meta.url));
  const cases = [
    ['begun', 'before'],
    ['written', 'before'],
    ['committed', 'before'],
    ['kept', 'after'],
  ] as const;
  for (const [step, expected] of cases) {
    it(`leaves the tree as it was ${expected} the call, if that is where it was ${step}`, async () => {
      const { runId, repo } = await runOn({ a: 'a\n' });
      const before = usersOwn(repo);
      const file = join(ground.folder, 'forge.db');
      const args = [fixture, file, runId, step, 'echo b > b', 'rm b; echo c > c'];
      assert.equal(spawnSync(process.execPath, args, { stdio: 'inherit' }).signal, 'SIGKILL');
      const next = workspacesWith();
      const sandbox = await next.sandboxOf({ runId });
      assert.equal(await inside(sandbox, 'ls'), expected === 'before' ? 'a\nb\n' : 'a\nc\n');
      await inside(sandbox, 'echo d > d');
      assert.ok((await next.keep(runId, 'Goes on')).files.includes('d'));
      assert.equal(usersOwn(repo), before);
      git(repo, 'fsck', '--strict', '--no-dangling');
    });
  }
});
