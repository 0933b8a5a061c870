import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import type { CodingClient } from './coding-client.ts';
import { continueClient } from './continue.ts';
import { opencode } from './opencode.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const docs = readFileSync(path('docs/proxy.md'), 'utf8');

/** The code block that follows a heading. */
function snippet(heading: string, language: string): string {
  const section = docs.slice(docs.indexOf(`\n### ${heading}\n`));
  const block = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section)?.[1];
  assert.ok(block, `docs/proxy.md has no ${language} for ${heading}`);
  return block;
}

function launch(client: CodingClient) {
  const task = { home: '/home', folder: '/project', prompt: 'Hello' };
  return client.launch({ ...task, url: 'http://127.0.0.1:8081' });
}

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

describe('docs/proxy.md', () => {
  // What `npm run clients` shows to work is what people are told to write.
  it('has the configuration of opencode that was tried', () => {
    const [tried = ''] = Object.values(launch(opencode).files ?? {});
    assert.partialDeepStrictEqual(JSON.parse(tried), JSON.parse(snippet('opencode', 'json')));
  });

  for (const [client, language] of [
    [codex, 'toml'],
    [continueClient, 'yaml'],
  ] as const) {
    it(`has the configuration of ${client.title} that was tried`, () => {
      const [tried = ''] = Object.values(launch(client).files ?? {});
      for (const line of lines(snippet(client.title, language))) {
        assert.ok(lines(tried).includes(line), line);
      }
    });
  }

  it('has the environment of Claude Code that was tried', () => {
    const said = snippet('Claude Code', 'sh').trim().split(' ').slice(0, -1);
    const tried = Object.entries(launch(claude).env ?? {}).map(([key, value]) => `${key}=${value}`);
    for (const variable of said) assert.ok(tried.includes(variable), variable);
  });

  it('names the versions that were tried', () => {
    for (const { title, version } of [opencode, codex, claude, continueClient]) {
      assert.ok(docs.includes(`| ${title} ${version} |`), title);
    }
  });

  it('has every flag there is, and no other', () => {
    const help = execFileSync(
      process.execPath,
      [path('packages/cli/bin/forge.js'), 'proxy', '-h'],
      {
        encoding: 'utf8',
      },
    );
    const flags = new Set([...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag));
    const [, options = ''] = docs.split('\n## Options\n');
    const documented = new Set([...options.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag));
    // A switch is told once, not for on and off; these are of every command.
    for (const flag of flags) if (flag?.startsWith('--no-')) flags.delete(flag);
    for (const flag of ['--version', '--no-rescue']) flags.delete(flag);
    documented.delete('--no-rescue');
    assert.deepEqual([...documented].sort(), [...flags].sort());
  });

  it('has every option of the library', () => {
    const source = readFileSync(path('packages/proxy/src/options.ts'), 'utf8');
    const names = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name ?? '');
    const [, options = ''] = docs.split('\n## Options\n');
    // The clock is for tests; a rule's parts are shown where rules are explained.
    const elsewhere = new Set(['now', 'tools', 'requiredSteps', 'terminalTools', 'backend']);
    elsewhere.add('guard').add('limits');
    for (const name of names) {
      if (elsewhere.has(name)) continue;
      assert.match(options, new RegExp(`\\b${name}\\b`), name);
    }
  });
});
