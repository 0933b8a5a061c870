import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/forge.js', import.meta.url));
const files = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const home = mkdtempSync(join(tmpdir(), 'forge-cli-mcp-'));
const token = 'a secret for this test';
const example = fileURLToPath(new URL('../../../../examples/mcp-notes/main.ts', import.meta.url));
const server = spawn(process.execPath, [example, join(home, 'notes.db')], {
  env: { ...process.env, NOTES_TOKEN: token },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const notes = { url: '' };

before(async () => {
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  notes.url = (await lines.next()).value ?? '';
});
after(async () => {
  const ended = new Promise((done) => server.once('exit', done));
  server.kill();
  await ended;
  rmSync(home, { recursive: true, force: true });
});

/** The real command, with a home of its own. */
async function forge(...args: string[]) {
  const env = { ...process.env, XDG_CONFIG_HOME: home, NOTES_TOKEN: token, NO_COLOR: '1' };
  const child = spawn(process.execPath, [launcher, 'mcp', ...args], { env, cwd: home });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const status = await new Promise((done) => child.once('close', done));
  return { status, stdout, stderr };
}

describe('forge mcp', () => {
  it('adds a program, tries it, and lists its tools', async () => {
    const shared = join(home, 'shared');
    mkdirSync(shared);
    const added = await forge('add', 'files', '--', process.execPath, files, shared);
    assert.equal(added.status, 0, added.stderr);
    assert.match(added.stdout, /files answers and has \d+ tools/);
    const tools = await forge('tools', 'files');
    assert.match(tools.stdout, /^files__read_text_file {2}offered, every call needs a yes$/m);
  });

  it('adds an address with a token that is not written down', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to a variable.
    const header = 'Authorization: Bearer ${env:NOTES_TOKEN}';
    const added = await forge('add', 'notes', notes.url, '--header', header);
    assert.equal(added.status, 0, added.stderr);
    assert.match(added.stdout, /notes answers and has 5 tools/);
    const file = join(home, 'forge', 'mcp.json');
    assert.ok(!readFileSync(file, 'utf8').includes(token));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { stdout } = await forge('list', '--connect', '--json');
    const states = JSON.parse(stdout).map(({ name, state }: { name: string; state: string }) => [
      name,
      state,
    ]);
    assert.deepEqual(states, [
      ['files', 'connected'],
      ['notes', 'connected'],
    ]);
  });

  it('disables a tool and a server, and enables them again', async () => {
    await forge('disable', 'notes', 'update');
    assert.match((await forge('tools', 'notes')).stdout, /^notes__update {2}disabled$/m);
    await forge('enable', 'notes', 'update');
    assert.match((await forge('tools', 'notes')).stdout, /^notes__update {2}offered/m);
    await forge('disable', 'files');
    assert.match((await forge('list')).stdout, /^files {2}disabled/m);
    await forge('enable', 'files');
    assert.match((await forge('list')).stdout, /^files {2}enabled/m);
  });

  it('approves what tools are now, and shows it', async () => {
    assert.match((await forge('pins', 'notes')).stdout, /^notes\/read {2}new/m);
    assert.equal((await forge('pins', 'notes', '--approve')).status, 0);
    assert.match((await forge('pins', 'notes')).stdout, /^notes\/read {2}approved/m);
  });

  it('takes the servers of forge.yaml too, and says where it is wrong', async () => {
    writeFileSync(join(home, 'forge.yaml'), `mcp:\n  more:\n    url: ${notes.url}\n`);
    assert.match((await forge('list')).stdout, /^more {2}enabled/m);
    writeFileSync(join(home, 'forge.yaml'), 'mcp:\n  more:\n    url: file:///x\n');
    const wrong = await forge('list');
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /forge\.yaml:\d+:\d+/);
    rmSync(join(home, 'forge.yaml'));
  });

  it('says what is wrong with a server that does not answer, and ends with 1', async () => {
    const missing = await forge('add', 'missing', '--', join(home, 'no-such-program'));
    assert.equal(missing.status, 1);
    assert.match(missing.stdout, /missing failed/);
    assert.equal((await forge('remove', 'missing')).status, 0);
    const unknown = await forge('test', 'noted');
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /notes/);
  });

  it('takes no flag that does nothing', async () => {
    assert.equal((await forge('add', 'x', '--header', 'a: b', '--', 'program')).status, 2);
    assert.equal((await forge('add', 'x', 'https://e.example', '--env', 'A=b')).status, 2);
    assert.equal((await forge('add', 'x', '--env', 'nothing', '--', 'program')).status, 2);
  });
});
