import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseCommand } from './parse-command.ts';

const wordsOf = (text: string) => {
  const parsed = parseCommand(text);
  return parsed.plain ? parsed.commands.map(({ argv }) => argv) : parsed.why;
};

describe('reading a command', () => {
  it('takes words, quotes and escapes as a shell does', () => {
    assert.deepEqual(wordsOf('git  commit -m "two words"'), [['git', 'commit', '-m', 'two words']]);
    assert.deepEqual(wordsOf("echo 'a $b' c\\ d ''"), [['echo', 'a $b', 'c d', '']]);
    assert.deepEqual(wordsOf('g"i"t st\'at\'us'), [['git', 'status']]);
    assert.deepEqual(wordsOf('git diff HEAD~1 x#y'), [['git', 'diff', 'HEAD~1', 'x#y']]);
  });

  it('takes commands apart', () => {
    assert.deepEqual(wordsOf('a 1&&b;c | d || e'), [['a', '1'], ['b'], ['c'], ['d'], ['e']]);
    assert.deepEqual(wordsOf('a;'), [['a']]);
    assert.deepEqual(wordsOf('npm test 2>&1 >/dev/null'), [['npm', 'test']]);
    assert.deepEqual(parseCommand('A=1 B=2 git x'), {
      plain: true,
      commands: [{ assignments: ['A=1', 'B=2'], argv: ['git', 'x'] }],
    });
  });

  it('does not read what may mean more than it says', () => {
    for (const text of [
      '',
      '   ',
      'a &',
      'a & b',
      'a |& b',
      'a > b',
      'a 2>b',
      'a >/dev/nullx',
      'a &>/dev/null b',
      'a < b',
      'a <(b)',
      'a $(b)',
      'a `b`',
      'a "$b"',
      'a "`b`"',
      `a $${'{IFS}'}b`,
      'a *.ts',
      'a ?',
      'a [b]',
      'a {b,c}',
      'a ~/b',
      'a b=~/c',
      'a b=c:~',
      'a # b',
      '! a',
      '(a)',
      'a () b',
      'if a',
      'while a',
      'a; do b',
      'a\nb',
      'a\rb',
      'a\0b',
      'a\u00a0b',
      'a\u2028b',
      'a\u200bb',
      'a\u202eb',
      'a "b',
      "a 'b",
      'a \\',
      '&& a',
      'a &&',
      'a | 2>&1',
      'a ;; b',
      'A=1',
      'a "\\$b"',
    ])
      assert.equal(parseCommand(text).plain, false, JSON.stringify(text));
  });

  it('never throws, and takes time in proportion to the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        parseCommand(text);
      }),
    );
    assert.ok(parseCommand(`echo ${'a\\ '.repeat(200_000)}`).plain);
  });

  for (const shell of ['sh', 'bash']) {
    it(`gives a program the words that ${shell} gives it`, () => {
      const pieces = ['a=~', ' 2>&1 ', '&>/dev/null '];
      const unit = fc.constantFrom(...'ab  \'"\\~#!=-:$`*?[]{}()<>;&|\t'.split(''), ...pieces);
      const texts = fc.sample(fc.string({ unit, maxLength: 12 }), 2_000).flatMap((text) => {
        const parsed = parseCommand(`show ${text}`);
        if (!parsed.plain || parsed.commands.length !== 1) return [];
        return [{ text, argv: parsed.commands[0]?.argv.slice(1) ?? [] }];
      });
      assert.ok(texts.length > 50, `${texts.length} plain commands`);
      const script = texts.map(({ text }) => `show ${text}\nprintf '\\1'`).join('\n');
      const show = `show() { for each; do printf '%s\\0' "$each"; done; }`;
      const { stdout } = spawnSync(shell, ['-c', `${show}\n${script}`], { encoding: 'utf8' });
      const seen = stdout.split('\u0001').slice(0, -1);
      assert.equal(seen.length, texts.length);
      for (const [n, { text, argv }] of texts.entries()) {
        assert.equal(seen[n], argv.map((word) => `${word}\0`).join(''), JSON.stringify(text));
      }
    });
  }
});
