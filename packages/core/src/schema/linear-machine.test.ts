import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LimitExceeded } from './budget.ts';
import { compileProgram } from './linear-compiler.ts';
import { LinearMachine } from './linear-machine.ts';
import { parsePattern } from './linear-parser.ts';
import type { Program } from './linear-program.ts';

function programOf(source: string, isUnicode: boolean): Program | undefined {
  const syntax = parsePattern(source, isUnicode);
  return syntax === undefined ? undefined : compileProgram(syntax, isUnicode);
}

function searchFor(source: string, text: string, flags = 'u') {
  const program = programOf(source, flags === 'u');
  assert.ok(program, source);
  const machine = new LinearMachine(program, text, Number.POSITIVE_INFINITY);
  const isFound = machine.search();
  const most = program.operations.length * (text.length + 1);
  assert.ok(machine.steps <= most, `${machine.steps} steps for ${source}`);
  return isFound;
}

/**
 * V8 also tries the middle of a surrogate pair, where no match can begin: `/\\B/u` finds one in
 * "a😀a". So it is asked at each character by itself.
 */
function isFoundByRegExp(source: string, text: string, flags: string): boolean {
  const expression = new RegExp(source, `${flags}y`);
  const starts = flags === 'u' ? [...text] : text.split('');
  let at = 0;
  for (const start of [...starts, '']) {
    expression.lastIndex = at;
    if (expression.test(text)) return true;
    at += start.length;
  }
  return false;
}

function assertLikeRegExp(source: string, text: string, flags = 'u'): void {
  const expected = isFoundByRegExp(source, text, flags);
  assert.equal(searchFor(source, text, flags), expected, `/${source}/${flags} with "${text}"`);
}

const atoms = [
  ...String.raw`a b ab - _ 😀 . \d \w \W \s \S \n \. \\ \x61 \u0061 \cJ \0`.split(' '),
  ...String.raw`[ab] [^a] [a-c1] [^\w\]] [] [^] [\b-] ^ $ \b \B (?:)`.split(' '),
];
const unicodeAtoms = String.raw`\p{Lu} \P{L} \u{1F600} \ud83d\ude00 \ud83d [\p{L}😀]`.split(' ');
const plainAtoms = String.raw`\- \_ \p { } ] a{1 a{12,x} a{,2} [\w-a] \u{2} \x \U0041`.split(' ');
const marks = ['*', '+', '?', '{2}', '{0}', '{1,}', '{0,2}', '{2,3}', '*?', '+?', '??', '{1,2}?'];
const groups = ['(', '(?:', '(?<n>', '(?=', '(?!', '(?<=', '(?<!'];

/** Patterns out of few parts; not every one is valid. */
function patterns(extra: readonly string[]): fc.Arbitrary<string> {
  const { choice } = fc.letrec<{ choice: string; sequence: string; item: string }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(...atoms, ...extra),
      fc
        .tuple(fc.constantFrom(...groups), tie('choice'))
        .map(([open, inner]) => `${open}${inner})`),
      fc.tuple(tie('item'), fc.constantFrom(...marks)).map(([item, mark]) => `${item}${mark}`),
    ),
    sequence: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')),
    choice: fc.oneof(
      { weight: 3, arbitrary: tie('sequence') },
      {
        weight: 1,
        arbitrary: fc.tuple(tie('choice'), tie('sequence')).map((both) => both.join('|')),
      },
    ),
  }));
  return choice;
}

const letters = [...'abc1-_ \nÉ😀p{}.\\', '\ud83d', '\ude00'];
const texts = fc.array(fc.constantFrom(...letters), { maxLength: 7 }).map((all) => all.join(''));

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) !== undefined;
  } catch {
    return false;
  }
}

describe('the linear engine agrees with RegExp', () => {
  for (const [flags, extra] of [
    ['u', unicodeAtoms],
    ['', plainAtoms],
  ] as const) {
    it(`on random patterns with ${flags === 'u' ? 'the Unicode flag' : 'no flag'}`, () => {
      const cases = fc.tuple(
        patterns(extra).filter((source) => isValid(source, flags)),
        fc.array(texts, { minLength: 4, maxLength: 8 }),
      );
      fc.assert(
        fc.property(cases, ([source, all]) => {
          for (const text of all) assertLikeRegExp(source, text, flags);
        }),
        { numRuns: 4_000 },
      );
    });
  }
});

describe('the linear engine', () => {
  for (const source of ['(a)\\1', '(?<n>a)\\k<n>', '(?i:a)', 'a{20000}', '((a{100}){100}){100}']) {
    it(`does not take ${source}`, () => assert.equal(programOf(source, true), undefined));
  }

  it('does not read what is written in odd ways, or nested very deep', () => {
    for (const source of ['\\c_', '\\k', `${'('.repeat(300)}a${')'.repeat(300)}`]) {
      assert.equal(parsePattern(source, false), undefined, source);
    }
  });

  it('takes no more steps for a loop without end around nothing', () => {
    for (const source of ['(?:)*$', '(?:a*)*b', '(?:\\b|^)*b', '(?:(?:a?)*)+b', '(?:(?=a)*)+b']) {
      assertLikeRegExp(source, 'aaa b', '');
    }
  });

  it('grows with the text as the text does', () => {
    const stepsFor = (source: string, length: number) => {
      const program = programOf(source, true);
      assert.ok(program, source);
      const machine = new LinearMachine(program, 'a'.repeat(length), Number.POSITIVE_INFINITY);
      machine.search();
      return machine.steps;
    };
    for (const source of [
      '(a+)+$b',
      '(a|a)*b',
      '(?:(?=(a|aa)+b)a|a)*c',
      '(?<=(a+)+)b',
      '(.*a){20}b',
    ]) {
      const [short, long] = [stepsFor(source, 1_000), stepsFor(source, 2_000)];
      assert.ok(long <= 2.1 * short, `${source}: ${short} steps, then ${long}`);
    }
  });

  it('stops at the limit of its steps', () => {
    const program = programOf('(a|b)*c', true);
    assert.ok(program);
    const search = (text: string) => new LinearMachine(program, text, 1_000).search();
    assert.equal(search('a'.repeat(100)), false);
    assert.throws(() => search('a'.repeat(500)), LimitExceeded);
    assert.throws(() => search('a'.repeat(2_000)), LimitExceeded);
  });
});
