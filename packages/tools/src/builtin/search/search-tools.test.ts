import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createKit, onEverySandbox } from '../sandbox-fixtures.test.ts';
import { readGrepLine } from './grep-line.ts';
import { readRgMessage } from './rg-match.ts';

onEverySandbox('search', (kit) => {
  before(() =>
    kit().inside(`
      mkdir -p s/sub s/node_modules s/.git
      printf 'alpha\\nbeta\\ngamma\\n' >s/a.txt
      printf 'beta $(id) "q"\\n' >'s/sub/b c.txt'
      printf 'beta\\n' >s/node_modules/dep.js
      printf 'beta\\n' >s/.git/config
      printf 'beta\\n' >s/.hidden
      printf 'node_modules\\n' >s/.gitignore
      i=0; while [ $i -lt 50 ]; do echo "many $i"; i=$((i+1)); done >s/many.txt`),
  );

  it('gives file, line and content, in order, without what is ignored', async () => {
    assert.equal(
      await kit().ok('search', { pattern: 'beta', path: 's' }),
      's/.hidden:1: beta\ns/a.txt:2: beta\ns/sub/b c.txt:1: beta $(id) "q"',
    );
    assert.match(await kit().ok('search', { pattern: 'beta', include_ignored: true }), /dep\.js:1/);
  });

  it('narrows by glob, path, case and plain text', async () => {
    const { ok } = kit();
    assert.equal(
      await ok('search', { pattern: 'BETA', ignore_case: true, path: 's/a.txt' }),
      's/a.txt:2: beta',
    );
    assert.equal(
      await ok('search', { pattern: '$(id)', literal: true }),
      's/sub/b c.txt:1: beta $(id) "q"',
    );
    assert.equal(
      await ok('search', { pattern: 'beta', glob: 'b*.txt' }),
      's/sub/b c.txt:1: beta $(id) "q"',
    );
    assert.equal(
      await ok('search', { pattern: 'gamma', path: 's', context: 1 }),
      's/a.txt-2- beta\ns/a.txt:3: gamma',
    );
  });

  it('runs nothing and takes no options from a pattern', async () => {
    const { ok, call, inside } = kit();
    for (const pattern of [
      '$(touch pwned)',
      '`touch pwned`',
      '; touch pwned',
      '--pre=touch',
      '-e',
    ]) {
      await call('search', { pattern, literal: true });
    }
    await call('search', { pattern: 'x', glob: '--pre=touch' });
    assert.equal(await inside('ls pwned 2>/dev/null || echo none'), 'none\n');
    assert.equal(await ok('search', { pattern: 'nothing like this' }), 'No matches found.');
  });

  it('stops at so many matches in all', async () => {
    const text = await kit().ok('search', { pattern: 'many', max_results: 5 });
    assert.equal(text.split('\n').length, 6);
    assert.match(text, /\[Stopped after 5 matches, there are more\./);
  });

  it('says what is wrong with a pattern or a path', async () => {
    const { fails, call } = kit();
    assert.match(await fails('search', { pattern: '(' }), /search for "\(" failed/);
    assert.equal((await call('search', { pattern: 'x', path: 'nowhere' })).outcome, 'not_found');
  });

  it('finds files by name', async () => {
    const { ok } = kit();
    assert.equal(
      await ok('glob', { pattern: '*.txt', path: 's' }),
      's/a.txt\ns/many.txt\ns/sub/b c.txt',
    );
    assert.equal(await ok('glob', { pattern: '*.js', path: 's' }), 'No files found.');
    assert.equal(
      await ok('glob', { pattern: '*.js', path: 's', include_ignored: true }),
      's/node_modules/dep.js',
    );
    assert.match(await ok('glob', { pattern: '**', max_results: 1 }), /^\S+\n\[1 of \d+ files\./);
  });

  it('lists folders, sorted, as deep as asked', async () => {
    const { ok, inside } = kit();
    assert.equal(
      await ok('list', { path: 's' }),
      '.git/\n.gitignore\n.hidden\na.txt\nmany.txt\nnode_modules/\nsub/',
    );
    assert.match(
      await ok('list', { path: 's', recursive: true }),
      /node_modules\/\nsub\/\nsub\/b c\.txt$/,
    );
    await inside("mkdir -p v; ln -s ../s v/link; mkdir v/e; touch 'v/new\nline'");
    assert.equal(await ok('list', { path: 'v' }), 'e/\nlink@\nnew\nline');
    assert.equal(await ok('list', { path: 'v/e' }), 'The folder is empty.');
  });
});

describe('what searches print', () => {
  it('passes over what is no match', () => {
    for (const line of ['', 'nonsense', '{"type":"begin"}', '{"type":"match","data":{}}']) {
      assert.equal(readRgMessage(Buffer.from(line)), undefined);
    }
  });

  it('shows a long line around the match', () => {
    const text = `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}\n`;
    const data = {
      path: { text: './a' },
      lines: { text },
      line_number: 1,
      submatches: [{ start: 5_000 }],
    };
    const found = readRgMessage(Buffer.from(JSON.stringify({ type: 'match', data })));
    assert.match(found?.content ?? '', /^…x{100}needley+…$/);
  });

  it('reads lines of grep, also for names with colons', () => {
    assert.deepEqual(readGrepLine(Buffer.from('./a:b/c.txt:12:x: 3:y')), {
      type: 'match',
      file: 'a:b/c.txt',
      line: 12,
      content: 'x: 3:y',
    });
  });
});

onEverySandbox('search without ripgrep', (kit) => {
  it('does the same with grep, and says so', async () => {
    const { sandbox, inside } = kit();
    await inside("mkdir g; printf 'alpha\\nbeta\\n' >g/a.txt; printf 'beta\\n' >g/b.md");
    // The folder of a program that is always in the way.
    await inside("mkdir bin; printf '#!/bin/sh\\nexit 2\\n' >bin/rg; chmod +x bin/rg");
    const exec: typeof sandbox.exec = (command, options) =>
      sandbox.exec(
        { ...command, env: { ...command.env, PATH: `${sandbox.workspace}/bin:/usr/bin:/bin` } },
        options,
      );
    const without = createKit(Object.assign(Object.create(sandbox), { exec }));
    const note =
      '\n[Searched with grep -E, as ripgrep is not in this sandbox: without regard to .gitignore, and with no lines of context.]';
    const { ok, fails } = without;
    assert.equal(await ok('search', { pattern: 'be+ta', glob: '*.txt' }), `g/a.txt:2: beta${note}`);
    assert.equal(
      await ok('search', { pattern: 'beta', path: 'g/a.txt' }),
      `g/a.txt:2: beta${note}`,
    );
    assert.equal(await ok('search', { pattern: 'gamma' }), `No matches found.${note}`);
    assert.match(await fails('search', { pattern: '(' }), /search for "\(" failed/);
    assert.equal(await ok('glob', { pattern: 'g/*' }), 'g/a.txt\ng/b.md');
  });
});
