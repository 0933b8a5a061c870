import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '@forge/core';
import fc from 'fast-check';
import { escapeGlob } from './glob.ts';
import { allowsCall, deniesCall } from './match-call.ts';
import { parsePattern } from './parse-pattern.ts';
import { suggestPatterns } from './suggest-patterns.ts';

const call = (tool: string, args: JsonObject, main?: string) => ({ tool, args, main });
const shell = (command: string) => call('shell', { command }, 'command');
const allows = (pattern: string, about: ReturnType<typeof call>) =>
  allowsCall(parsePattern(pattern), about);
const denies = (pattern: string, about: ReturnType<typeof call>) =>
  deniesCall(parsePattern(pattern), about);

describe('a rule that allows', () => {
  it('is about the tool it names and no other', () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/);
    fc.assert(
      fc.property(name, name, fc.string(), (tool, other, command) => {
        fc.pre(tool !== other);
        for (const pattern of [tool, `${tool}(*)`, `${tool}(**)`]) {
          assert.equal(allows(pattern, call(other, { command }, 'command')), false);
          assert.equal(denies(pattern, call(other, { command }, 'command')), false);
        }
      }),
    );
  });

  it('takes a command that goes on as words, and none that goes on as another command', () => {
    assert.equal(allows('shell(git status*)', shell('git status')), true);
    assert.equal(allows('shell(git status*)', shell('git status --short src')), true);
    assert.equal(allows('shell(git commit -m *)', shell('git commit -m "Say why"')), true);
    for (const command of [
      'git status; rm -rf /',
      'git status && rm -rf /',
      'git status & rm -rf /',
      'git status | sh',
      'git status $(rm -rf /)',
      'git status `rm -rf /`',
      'git status > /etc/passwd',
      'git status\nrm -rf /',
      'git status\rrm -rf /',
      'git status $HOME',
      'git status \\; rm',
      ' git status',
      'FOO=1 git status',
      'sudo git status',
      'GIT status',
    ])
      assert.equal(allows('shell(git status*)', shell(command)), false, command);
  });

  it('never reaches past a character that means something to a shell', () => {
    const special = fc.constantFrom(...';&|<>$`\\(){}\n\r\0');
    fc.assert(
      fc.property(fc.string(), special, fc.string(), (before, char, after) => {
        assert.equal(allows('shell(git*)', shell(`git${before}${char}${after}`)), false);
        assert.equal(allows('shell(git**)', shell(`git${before}${char}${after}`)), false);
      }),
    );
  });

  it('takes such a character where the rule itself has it', () => {
    assert.equal(allows('shell(npm test | tail)', shell('npm test | tail')), true);
    assert.equal(allows('shell(npm test | tail)', shell('npm test | tail; ls')), false);
  });

  it('knows folders from names in a path, and does not go up', () => {
    const write = (path: string) => call('write_file', { path, content: 'x' }, 'path');
    assert.equal(allows('write_file(path=src/**)', write('src/a/b.ts')), true);
    assert.equal(allows('write_file(src/**)', write('./src/a.ts')), true);
    assert.equal(allows('write_file(src/*)', write('src/a.ts')), true);
    for (const path of [
      'src/../etc/passwd',
      'src/a/../../../etc/passwd',
      'src/..',
      'src/./a',
      'src//a',
      'srcs/a',
      '/src/a',
      'src',
      'src\\..\\..\\a',
      'src/a\n',
      '~/src/a',
    ])
      assert.equal(allows('write_file(path=src/**)', write(path)), false, path);
    assert.equal(allows('write_file(src/*)', write('src/a/b.ts')), false);
    assert.equal(allows('write_file(~/**)', write('~/a')), false);
  });

  it('knows the parts of an address, and takes only plain ones', () => {
    const get = (url: string) => call('fetch', { url }, 'url');
    assert.equal(allows('fetch(https://api.test/v1/**)', get('https://api.test/v1/a?b=c&d')), true);
    assert.equal(allows('fetch(https://*.test/**)', get('https://api.test/')), true);
    assert.equal(allows('fetch(https://api.test/**)', get('https://api.test')), true);
    for (const url of [
      'https://evil.example/x.test/',
      'https://evil.example?.test/',
      'https://evil.example#.test/',
      'https://a@evil.example/',
      'https://api.test/v1/../admin',
      'https://api.test/v1/%2e%2e/admin',
      'https:/\\api.test/',
      'HTTPS://api.test/',
      'no address',
    ]) {
      assert.equal(allows('fetch(https://*.test/**)', get(url)), false, url);
      assert.equal(allows('fetch(https://api.test/v1/**)', get(url)), false, url);
    }
  });

  it('compares numbers, and words of numbers not', () => {
    const pay = (amount: JsonValue) => call('pay', { amount });
    assert.equal(allows('pay(amount<=100)', pay(100)), true);
    assert.equal(allows('pay(amount<=100)', pay(101)), false);
    assert.equal(allows('pay(amount>=100)', pay(100)), true);
    assert.equal(allows('pay(amount<=100)', pay('5')), false);
    assert.equal(allows('pay(amount<=100)', pay(null)), false);
    assert.equal(allows('pay(amount=5)', pay(5)), true);
    assert.equal(allows('pay(amount=5)', pay(50)), false);
  });

  it('takes a list of words that could not be taken for others', () => {
    const words = (...command: string[]) => call('shell', { command }, 'command');
    assert.equal(allows('shell(git log*)', words('git', 'log', '-5')), true);
    assert.equal(allows('shell(git log*)', words('git log', '-5')), false);
    assert.equal(allows('shell(git log*)', words('git', 'log', '; rm')), false);
  });

  it('takes a list only if it would take each of its members', () => {
    const add = (...paths: string[]) => call('git_add', { paths });
    assert.equal(allows('git_add(paths=src/**)', add('src/a', 'src/b/c')), true);
    assert.equal(allows('git_add(paths=src/**)', add('src/a', '/etc/passwd')), false);
    assert.equal(allows('git_add(paths=src/**)', add('src/a', 'src/../b')), false);
    assert.equal(allows('git_add(paths=src/**)', add()), false);
    const send = (...to: string[]) => call('send', { to });
    assert.equal(allows('send(to=team-*)', send('team-a', 'team-b')), true);
    assert.equal(allows('send(to=team-*)', send('team-a', 'everybody')), false);
  });

  it('takes no program that runs another one, unless it says exactly that', () => {
    const alias = "git -c alias.x='!sh' x";
    assert.equal(allows('shell(git *)', shell(alias)), false);
    assert.equal(allows('shell(find *)', shell('find . -exec sh +')), false);
    assert.equal(allows(`shell(${escapeGlob('find . -delete')})`, shell('find . -delete')), true);
  });

  it('is not about a call whose argument is missing, inherited, too long or not text', () => {
    assert.equal(allows('shell(git*)', call('shell', {}, 'command')), false);
    assert.equal(allows('shell(git*)', call('shell', { command: 'git' })), false);
    assert.equal(allows('shell(toString=*)', call('shell', {})), false);
    assert.equal(allows('shell(command=git*)', call('shell', { command: [['git']] })), false);
    assert.equal(allows('shell(git*)', shell(`git ${'a'.repeat(100_000)}`)), false);
  });
});

describe('a rule that denies', () => {
  it('is about everything that the same rule would allow', () => {
    const piece = fc.constantFrom('git', ' ', '*', '**', 'a', ';', '/', '..', '|');
    const name = fc.constantFrom('command', 'path', 'url');
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.array(piece, { maxLength: 5 }),
        name,
        (pattern, value, argument) => {
          fc.pre(pattern.join('').trim() !== '');
          const about = call('t', { [argument]: value.join('') }, argument);
          const text = `t(${pattern.join('')})`;
          if (allows(text, about)) assert.ok(denies(text, about), text);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('looks at each command of a line, at lists of words, and at paths as they end up', () => {
    assert.equal(denies('shell(rm *)', shell('git status; rm -rf /')), true);
    assert.equal(denies('shell(rm *)', shell('echo $(rm   -rf /)')), true);
    assert.equal(denies('shell(rm *)', shell('rm -rf / && echo')), true);
    assert.equal(denies('shell(rm *)', shell('git status')), false);
    assert.equal(denies('shell(rm *)', call('shell', { command: ['rm', '-rf'] }, 'command')), true);
    assert.equal(
      denies('write(path=/etc/**)', call('write', { path: '/tmp/../etc/passwd' })),
      true,
    );
    assert.equal(
      denies('fetch(url=http://a.test/**)', call('fetch', { url: 'HTTP://A.test' })),
      true,
    );
    assert.equal(denies('pay(amount>=100)', call('pay', { amount: '100' })), true);
    assert.equal(denies('pay(amount>=100)', call('pay', { amount: '' })), false);
  });

  it('knows a file by every spelling that a tool takes', () => {
    const read = (path: string) => call('read', { path }, 'path');
    for (const path of ['.env', './.env', '.env/', '.env/.', '/workspace/.env', '/a/b//.env/'])
      assert.equal(denies('read(.env)', read(path)), true, path);
    assert.equal(denies('read(secrets/**)', read('/home/me/work/secrets/a/key')), true);
    assert.equal(denies('read(.env)', read('docs/.env')), false);
    assert.equal(denies('git_add(paths=.env)', call('git_add', { paths: ['a', './.env'] })), true);
    assert.equal(denies('read(x)', read(`/${'a/'.repeat(49_000)}`)), false);
  });

  it('knows a host with a dot at its end', () => {
    const get = (url: string) => call('fetch', { url }, 'url');
    for (const url of ['https://evil.test./x', 'https://evil.test./', 'https://EVIL.test.'])
      assert.equal(denies('fetch(https://evil.test/**)', get(url)), true, url);
    assert.equal(denies('fetch(http://evil.test:81/**)', get('http://evil.test.:81/x')), true);
  });

  it('without a known main argument is about any of them', () => {
    assert.equal(denies('shell(rm *)', call('shell', { x: 1, script: 'rm a' })), true);
  });

  it('takes what is too long to look at for its own', () => {
    assert.equal(denies('shell(rm *)', shell('a'.repeat(100_001))), true);
  });
});

describe('suggestPatterns', () => {
  it('begins with exactly this call, as far as a rule can say it', () => {
    assert.deepEqual(suggestPatterns(shell('git status')), ['shell(git status)', 'shell']);
    assert.deepEqual(suggestPatterns(shell('A=1 make')), ['shell(command=A=1 make)', 'shell']);
    assert.deepEqual(suggestPatterns(shell('ls *')), ['shell(ls \\*)', 'shell']);
    assert.deepEqual(suggestPatterns(call('pay', { amount: 5 })), ['pay(amount=5)', 'pay']);
    assert.deepEqual(suggestPatterns(call('move', { from: 'a', to: 'b' })), ['move']);
    assert.deepEqual(suggestPatterns(shell('two\nlines')), ['shell']);
  });

  it('suggests nothing that would not allow the call, and first nothing that allows another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (command, other) => {
        const [first = '', ...wider] = suggestPatterns(shell(command));
        assert.ok(allows(first, shell(command)));
        if (wider.length > 0 && other !== command) assert.ok(!allows(first, shell(other)), first);
        assert.ok(escapeGlob(command).length >= command.length);
      }),
    );
  });
});
