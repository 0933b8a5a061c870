import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { runRef } from '@forge/pipeline';
import type { Store } from '@forge/store';
import { main } from '../main.ts';
import { coder, ground, pipeline, planner } from '../runs/ground.test.ts';

const day = 86_400_000;

/** A shop that was built: three runs. */
async function built() {
  const { agent } = coder();
  const made = await ground({
    agents: [pipeline, planner, agent],
    voices: {
      planner: new ScriptedModel([says('One task.')]),
      coder: new ScriptedModel([calls(['write', { path: 'a.ts' }, '1']), says('Done.')]),
    },
  });
  const { code, stderr } = await made.forge(['run', 'build a shop']);
  assert.equal(code, 0, stderr);
  const [run] = (await made.store.runs({ topOnly: true })).items;
  assert.ok(run);
  const json = async (...args: readonly string[]) => {
    const said = await made.forge(['store', ...args, '--json']);
    assert.equal(said.code, 0, said.stderr);
    return JSON.parse(said.stdout);
  };
  return { ...made, run, json };
}

/** A run that ended then, or has not ended. */
async function past(
  store: Store,
  { id, ago, repo }: { readonly id: string; readonly ago?: number; readonly repo?: string },
) {
  const at = (await store.now()) - (ago ?? 0);
  await store.createRun({
    ...{ id, agent: 'coder', title: `Work ${id}` },
    ...(repo !== undefined && { labels: { 'forge.repo': repo } }),
  });
  if (ago === undefined) return;
  const [lease] = await store.claim({ owner: 'w', ttl: 60_000, limit: 1, runId: id });
  const ended = { type: 'run.finished', status: 'completed', reason: 'answered' } as const;
  await store.append({
    ...{ runId: id, fence: lease?.fence ?? 0, expectedSeq: 0, state: 'completed' },
    ...{ happenings: [{ ...ended, explanation: '' }], at },
  });
}

describe('forge store info', () => {
  it('says where the store is, what it is, and what is in it', async () => {
    const { forge, file, json } = await built();
    const { stdout } = await forge(['store', 'info']);
    assert.match(
      stdout,
      new RegExp(`^place +${file}\nmake +SQLite, schema \\d+\nsize +\\d+\\.\\d MiB\n`),
    );
    assert.match(stdout, /^runs +1 run, 3 with those they started\n +3 completed$/m);
    const { bytes, schema, ...about } = await json('info');
    assert.ok(bytes > 0 && schema > 0);
    assert.deepEqual(about.runs.total, 3);
    assert.deepEqual(
      { ...about, runs: 0 },
      {
        ...{ place: file, make: 'SQLite', runs: 0 },
        ...{ decisions_waiting: 0, schedules: 0, rules: 0 },
      },
    );
  });
});

describe('forge store rebuild', () => {
  it('says that every figure was right', async () => {
    const { forge, json } = await built();
    const { code, stdout } = await forge(['store', 'rebuild']);
    assert.equal(code, 0);
    assert.match(stdout, /^Equal: every figure was right\. \d+ events read\.\n$/);
    const { equal, changed, wentOn, compared } = await json('rebuild');
    assert.deepEqual({ equal, changed, wentOn }, { equal: true, changed: [], wentOn: false });
    assert.equal(compared.runs, 3);
  });

  it('mends figures that are not what the log says, and names them', async () => {
    const { forge, file, run, json } = await built();
    const database = new DatabaseSync(file);
    database.prepare('update runs set turns = 77 where id = ?').run(run.id);
    database.exec('update daily_stats set tool_calls = tool_calls + 5');
    database.close();
    const { stdout } = await forge(['store', 'rebuild']);
    assert.match(stdout, /^Mended: \d+ rows\./);
    assert.match(stdout, new RegExp(`^  run ${run.id}: turns 77 → \\d+$`, 'm'));
    assert.match(stdout, /^ {2}day \d{4}-\d\d-\d\d coder.*: toolCalls \d+ → \d+$/m);
    assert.equal((await json('rebuild')).equal, true);
  });
});

describe('forge store prune', () => {
  it('removes runs that ended long ago with all they started, and no others', async () => {
    const { store, json } = await built();
    await past(store, { id: 'old', ago: 40 * day });
    await past(store, { id: 'new', ago: 1 * day });
    await past(store, { id: 'open' });
    const dry = await json('prune', '--older-than', '30d', '--dry-run');
    assert.deepEqual(
      { ...dry, before: '' },
      { before: '', runs: 1, all: 1, isAll: true, removed: 0 },
    );
    assert.ok(await store.run('old'));
    const done = await json('prune', '--older-than', '30d', '--yes');
    assert.equal(done.removed, 1);
    assert.equal(await store.run('old'), undefined);
    assert.ok(await store.run('new'));
    const rest = await json('prune', '--older-than', '0s', '--yes');
    assert.deepEqual([rest.runs, rest.all, rest.removed], [2, 4, 4]);
    assert.deepEqual(
      (await store.runs()).items.map(({ id }) => id),
      ['open'],
    );
  });

  it('keeps a run while one that it started works', async () => {
    const { store, forge } = await ground({ agents: [] });
    await past(store, { id: 'top', ago: 40 * day });
    await store.createRun({ id: 'child', agent: 'coder', parent: { runId: 'top', callId: 'c' } });
    const { stdout } = await forge(['store', 'prune', '--older-than', '1d', '--yes']);
    assert.match(stdout, /^No run ended before /);
    assert.ok(await store.run('top'));
  });

  it('removes what goes also from the repository, and leaves branches alone', async () => {
    const { store, folder, forge } = await ground({ agents: [] });
    const repo = join(folder, 'repo');
    mkdirSync(repo);
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        ...{ cwd: repo, encoding: 'utf8' },
      }).trim();
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    for (const id of ['old', 'new']) git('update-ref', runRef(id), 'HEAD');
    await past(store, { id: 'old', ago: 40 * day, repo });
    await past(store, { id: 'new', ago: 1 * day, repo });
    await past(store, { id: 'lost', ago: 40 * day, repo: join(folder, 'gone') });
    const { code, stdout, stderr } = await forge([
      'store',
      'prune',
      '--older-than',
      '30d',
      '--yes',
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2 runs ended before .* UTC, 2 with those they started:\n/);
    assert.match(stdout, /^ {2}old {2}completed {2}.* {2}Work old$/m);
    assert.match(stdout, /Removed 2 runs\.\n$/);
    assert.deepEqual(git('for-each-ref', '--format=%(refname)').split('\n'), [
      runRef('new'),
      'refs/heads/main',
    ]);
  });

  it('asks somebody at a terminal, and takes no for an answer', async () => {
    const { store, folder, openWorkshop } = await ground({ agents: [] });
    await past(store, { id: 'old', ago: 40 * day });
    const prune = async (answer: string) => {
      const stdin = new PassThrough();
      stdin.end(answer);
      let stdout = '';
      const write = (text: string | Uint8Array) => {
        stdout += String(text);
      };
      const code = await main(['store', 'prune', '--older-than', '30d'], {
        ...{ stdin, stdout: { isTTY: true, write }, cwd: folder, openWorkshop },
        environment: { HOME: folder, NO_COLOR: '1' },
      });
      return { code, stdout };
    };
    const no = await prune('n\n');
    assert.match(no.stdout, /Remove them for good\? \[n\] Nothing was removed\.\n$/);
    assert.ok(await store.run('old'));
    assert.match((await prune('y\n')).stdout, /Removed 1 run\.\n$/);
    assert.equal(await store.run('old'), undefined);
    assert.match((await prune('')).stdout, /^No run ended before /);
  });

  it('removes nothing where nobody can be asked, or when is not said', async () => {
    const { store, forge } = await ground({ agents: [] });
    await past(store, { id: 'old', ago: 40 * day });
    const refused = await forge(['store', 'prune', '--older-than', '30d']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--dry-run to see what would go, or --yes/);
    assert.equal((await forge(['store', 'prune', '--yes'])).code, 2);
    const wrong = await forge(['store', 'prune', '--yes', '--older-than', 'long']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /It takes a span such as 30d/);
    assert.ok(await store.run('old'));
  });
});

describe('forge store export', () => {
  it('writes a run as files', async () => {
    const { forge, folder, run } = await built();
    const { code, stdout, stderr } = await forge([
      'store',
      'export',
      run.id.slice(0, 8),
      '--to',
      'out',
    ]);
    assert.equal(code, 0, stderr);
    const made = join(folder, 'out', run.id);
    assert.equal(stdout, `${made}\n`);
    assert.match(stderr, /started 2 runs, which are not in it/);
    assert.deepEqual(readdirSync(made).sort(), [
      'events.jsonl',
      'messages.jsonl',
      'run.json',
      'summary.json',
    ]);
    const file = JSON.parse(readFileSync(join(made, 'run.json'), 'utf8'));
    assert.equal(file.state, 'completed');
    assert.equal(file.repo_path, folder);
  });

  it('knows the model of a run', async () => {
    const { store, json, run } = await built();
    const coded = (await store.runs({ agent: 'coder' })).items[0];
    const { folder } = await json('export', coded?.id ?? '');
    const { config } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    assert.equal(config.model, 'scripted');
    assert.equal((await json('export', run.id)).runsBelow, 2);
  });

  it('says that there is no such run', async () => {
    const { forge } = await ground({ agents: [] });
    const { code, stderr } = await forge(['store', 'export', 'nothing']);
    assert.equal(code, 1);
    assert.match(stderr, /Run not found: nothing/);
  });
});

describe('forge store export-memory and import-memory', () => {
  it('carries facts from one scope to another', async () => {
    const { store, folder, json, forge } = await built();
    await store.memory.remember({ scope: 'agent:a', key: 'tea', value: 'Green.' });
    const coded = (await store.runs({ agent: 'coder' })).items[0];
    const { file } = await json('export-memory', coded?.id ?? '', '--scope', 'agent:a');
    assert.equal(file, join(folder, 'memory.json'));
    const memory = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(memory.facts, { tea: 'Green.' });
    assert.ok(memory.messages.length > 0);
    const { code, stdout, stderr } = await forge([
      'store',
      'import-memory',
      'memory.json',
      '--scope',
      'agent:b',
    ]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '1 fact remembered in agent:b.\n');
    assert.match(stderr, /messages? left out/);
    assert.equal((await store.memory.recall('agent:b', 'tea'))?.value, 'Green.');
  });

  it('leaves a file alone that is no memory', async () => {
    const { folder, forge } = await ground({ agents: [] });
    writeFileSync(join(folder, 'package.json'), '{"name": "shop"}');
    const wrong = await forge(['store', 'import-memory', 'package.json', '--scope', 'a']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /package\.json is no memory\.json/);
    assert.equal(readFileSync(join(folder, 'package.json'), 'utf8'), '{"name": "shop"}');
    const none = await forge(['store', 'import-memory', 'nowhere.json', '--scope', 'a']);
    assert.match(none.stderr, /There is no file .*nowhere\.json/);
  });

  it('says which facts could not be kept', async () => {
    const { folder, forge } = await ground({ agents: [] });
    const facts = { good: 'Yes.', long: 'x'.repeat(9_000) };
    writeFileSync(join(folder, 'm.json'), JSON.stringify({ messages: [], facts }));
    const { code, stdout, stderr } = await forge([
      'store',
      'import-memory',
      'm.json',
      '--scope',
      'a',
    ]);
    assert.equal(code, 1);
    assert.match(stdout, /^1 fact remembered/);
    assert.match(stderr, /^long: /);
  });
});
