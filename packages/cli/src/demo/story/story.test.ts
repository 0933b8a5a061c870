import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createScriptedModel } from '@forge/models';
import { projectFiles } from './project-files.ts';
import {
  chooseCode,
  countVisits,
  fixMissingFolder,
  fixTakenCodes,
  type StoryCall,
  takeoverProbe,
} from './story-edits.ts';
import { storyScript } from './story-script.ts';
import { storyPlan } from './story-text.ts';

/** The demo's story with plain git and node: each state passes and fails what the story says it does. */

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'forge-story-'));
  for (const [path, content] of Object.entries(projectFiles)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  git('init', '--quiet', '--initial-branch=main');
  commit('Begin');
  git('switch', '--quiet', '--create', 'choose-code');
  apply(chooseCode);
  commit('Let people choose the code of their link');
  git('switch', '--quiet', '--create', 'count-visits', 'main');
  apply(countVisits);
  commit('Count how often each link is followed');
  git('switch', '--quiet', '--create', 'merged', 'choose-code');
  git('merge', '--quiet', '--no-edit', 'count-visits');
  git('switch', '--quiet', '--create', 'reviewed');
  apply(fixTakenCodes);
  commit('Refuse codes that are taken or reserved');
  git('switch', '--quiet', '--create', 'verified');
  apply(fixMissingFolder);
  commit('Make the folder of the visit counts');
});
after(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Story', '-c', 'user.email=story@example.org'];
  execFileSync('git', [...identity, '-c', 'core.hooksPath=/dev/null', ...args], { cwd: folder });
}

function commit(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
}

/** Makes the edits of a coder as its tools would: each text is there, once. */
function apply(calls: readonly StoryCall[]): void {
  for (const { name, args } of calls) {
    const path = join(folder, String(args.path));
    if (name === 'write') {
      writeFileSync(path, String(args.content));
      continue;
    }
    let text = readFileSync(path, 'utf8');
    for (const { old_text, new_text } of args.edits as { old_text: string; new_text: string }[]) {
      assert.equal(text.split(old_text).length, 2, `once in ${args.path}: ${old_text}`);
      text = text.replace(old_text, () => new_text);
    }
    writeFileSync(path, text);
  }
}

/** Without what this test run set for its own children. */
const { NODE_TEST_CONTEXT: _, ...environment } = process.env;

function run(state: string, command: string): { readonly ok: boolean; readonly output: string } {
  git('switch', '--quiet', state);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    env: { ...environment, PATH: `${dirname(process.execPath)}:${environment.PATH}` },
    encoding: 'utf8',
  });
  return { ok: status === 0, output: stdout + stderr };
}

describe('the story of the demo', () => {
  for (const state of ['main', 'choose-code', 'count-visits', 'merged', 'reviewed', 'verified']) {
    it(`the tests of ${state} pass`, () => {
      const { ok, output } = run(state, 'node --test');
      assert.ok(ok, output);
    });
  }

  it('the reviewer’s probe fails on the merged work, and passes once it is mended', () => {
    const first = run('merged', takeoverProbe('node'));
    assert.equal(first.ok, false);
    assert.ok(first.output.includes('taken over by https://b.example/'), first.output);
    assert.ok(run('reviewed', takeoverProbe('node')).ok);
  });

  it('the findings are about the lines they name', () => {
    git('switch', '--quiet', 'merged');
    const line = (file: string, number: number) =>
      readFileSync(join(folder, file), 'utf8').split('\n')[number - 1];
    const findings = storyScript()
      .scenes.flatMap(({ replies }) => replies.flatMap(({ calls = [] }) => calls))
      .flatMap(({ name, args = {} }) => (name === 'submit_review' ? args.findings : []));
    assert.deepEqual(
      (findings as { file: string; line: number }[]).map((each) =>
        line(each.file, each.line)?.trim(),
      ),
      ['urls.set(code, url);', 'const { url, code: chosen } = await readJson(request);'],
    );
  });

  it('what was reviewed fails only where it is deployed, and what was mended does not', async (t) => {
    assert.deepEqual(await acceptance(t, 'reviewed'), {
      'chosen-code': 'ok',
      'taken-code': 'ok',
      redirect: `500 {"error":"ENOENT: no such file or directory, open 'data/visits.json'"}`,
      visits: 'ok',
    });
    const passed = { 'chosen-code': 'ok', 'taken-code': 'ok', redirect: 'ok', visits: 'ok' };
    assert.deepEqual(await acceptance(t, 'verified', { times: 2 }), passed, 'also when repeated');
  });

  it('the first version knows nothing of it', async (t) => {
    const results = await acceptance(t, 'main');
    assert.equal(results['chosen-code'], '201 {"code":"1","url":"https://example.org/docs"}');
    assert.notEqual(results.visits, 'ok');
  });

  it('the script can be played', async (t) => {
    const file = `${folder}.json`;
    t.after(() => rmSync(file, { force: true }));
    writeFileSync(file, JSON.stringify(storyScript()));
    const model = createScriptedModel(file);
    assert.equal(await model.contextLength({ signal: new AbortController().signal }), 200_000);
  });
});

/** The plan's acceptance checks against a service that was started as a target starts it. */
async function acceptance(
  t: TestContext,
  state: string,
  { times = 1 } = {},
): Promise<Record<string, string>> {
  git('switch', '--quiet', state);
  rmSync(join(folder, 'data'), { recursive: true, force: true });
  const port = await freePort();
  const child = spawn(process.execPath, ['src/main.js'], {
    cwd: folder,
    env: { PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  assert.equal(line, `listening on http://127.0.0.1:${port}`);
  const results: Record<string, string> = {};
  for (let round = 0; round < times; round++) {
    for (const { id, http } of storyPlan.acceptance) {
      const { method, path, status, body, includes } = { body: undefined, includes: [], ...http };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        redirect: 'manual',
        ...(body !== undefined && { body }),
      });
      const text = (await response.text()).trim();
      const ok =
        response.status === status && includes.every((part: string) => text.includes(part));
      results[id] = ok ? 'ok' : `${response.status} ${text}`;
    }
  }
  child.kill();
  return results;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
