import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { machineMirror } from './machine-mirror.ts';

function apt(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-apt-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

it('takes the mirror of the machine, in either way it is written', async (context) => {
  const list =
    '# deb http://old.example/debian x\ndeb [arch=amd64] http://a.example/debian/ bookworm main\n';
  assert.equal(
    await machineMirror(apt(context, { 'sources.list': list })),
    'http://a.example/debian',
  );
  const sources = 'Types: deb\nURIs: https://b.example/debian\nSuites: bookworm\n';
  const folder = apt(context, { 'sources.list.d/debian.sources': sources });
  assert.equal(await machineMirror(folder), 'https://b.example/debian');
});

it('has none where the machine is no Debian', async (context) => {
  assert.equal(await machineMirror(apt(context, {})), undefined);
  const list =
    'deb http://a.example/ubuntu noble main\ndeb http://a.example/debian-security x main\n';
  assert.equal(await machineMirror(apt(context, { 'sources.list': list })), undefined);
});
