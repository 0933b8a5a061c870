import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandTable } from '../command-table.ts';
import { main } from '../main.ts';

async function scriptFor(shell: string) {
  let stdout = '';
  const code = await main(['completion', shell], {
    stdout: { write: (text) => (stdout += text) },
    environment: {},
  });
  assert.equal(code, 0);
  return stdout;
}

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'forge-completion-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a real bash offers after these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const file = join(folder, 'forge.bash');
  writeFileSync(file, await scriptFor('bash'));
  const quoted = ['forge', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `. '${file}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _forge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.trim().split('\n');
}

describe('completion in bash', () => {
  it('offers every command, and those that begin so', async () => {
    const all = await offered('');
    for (const { name } of commandTable) assert.ok(all.includes(name), name);
    assert.deepEqual(await offered('re'), ['review', 'replay', 'resume']);
  });

  it('offers the commands and options of a command', async () => {
    assert.deepEqual(await offered('schedule', 'r'), ['resume', 'remove', 'run']);
    assert.deepEqual(await offered('run', '--dr'), ['--dry-run']);
    assert.ok((await offered('schedule', 'add', '--c')).includes('--cron'));
  });

  it('offers what an option or argument may be, and options that hold everywhere', async () => {
    assert.deepEqual(await offered('list', '--state', 'c'), ['completed', 'cancelled']);
    assert.deepEqual(await offered('completion', 'b'), ['bash']);
    assert.deepEqual(await offered('inspect', 'x', '--ver'), ['--verbose']);
  });

  it('leaves values that only the file system knows to the shell', async () => {
    assert.deepEqual(await offered('run', '--config', ''), ['']);
  });
});

describe('completion in other shells', () => {
  it('has every command in fish, with what it is for', async () => {
    const script = await scriptFor('fish');
    for (const { name, description } of commandTable) {
      const about = description.replaceAll("'", "'\\''");
      assert.ok(script.includes(`-n __fish_use_subcommand -a '${name}' -d '${about}'`), name);
    }
    assert.match(script, /-n '__fish_seen_subcommand_from list' -l state -x -a 'open paused/);
  });

  it('has every command in zsh', async () => {
    const script = await scriptFor('zsh');
    assert.match(script, /^#compdef forge\n/);
    for (const { name } of commandTable) assert.ok(script.includes(name), name);
  });
});
