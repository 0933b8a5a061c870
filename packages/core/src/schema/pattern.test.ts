import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LimitExceeded } from './budget.ts';
import { compilePattern } from './pattern.ts';

const long = 'a'.repeat(10_001);

function matches(source: string, text: string): boolean {
  const pattern = compilePattern(source);
  assert.ok(pattern, source);
  return pattern.matches(text);
}

it('matches as JSON Schema does: anywhere, in code points', () => {
  assert.equal(matches('b', 'abc'), true);
  assert.equal(matches('^.$', '😀'), true);
  assert.equal(matches('\\p{Lu}', 'É'), true);
});

it('reads patterns that only make sense without the Unicode flag', () => {
  assert.equal(matches('^[\\w\\-\\_]+\\@$', 'a-b@'), true);
  assert.equal(matches('^([\\w\\-]+\\@)+$', `${'a-b'.repeat(100)}@`), true);
  assert.equal(compilePattern('('), undefined);
});

it('matches a long text', () => {
  for (const source of ['a', '^a+$', '^[a-z]*$', 'a{3}', '^\\S', 'a|b', '(a+)+', 'a+$', '^a*a*$']) {
    assert.equal(matches(source, long), true, source);
  }
  for (const source of ['(a|a)*$', '^(?=a)a+', '^a+|b', 'a{1,}', '^(?!b)(?:a+)+(?<=a)$']) {
    assert.equal(matches(source, long), true, source);
  }
});

describe('a pattern on which backtracking takes for ever', () => {
  const hostile = [
    ...['^(a+)+$', '(a+)+$', '(a|a)*b', '(a|aa)+$', '^([a-zA-Z]+)*$', '(.*a){20}b', '(a*)*b'],
    ...['^(([a-z])+.)+[A-Z]([a-z])+$', '(?:a?){30}a{30}$', '(x+x+)+y', `${'(a|a)'.repeat(40)}b`],
    ...[
      `${'a*'.repeat(40)}b`,
      '^(?=(a+)+$)',
      '^(?!(a|a)*b)(a+)+$',
      '(?<=(a|aa)+)b',
      '(a{1,50}){1,50}b',
    ],
  ];
  for (const source of hostile) {
    it(`ends: ${source.slice(0, 40)}`, () => {
      for (const length of [30, 40, 1_000]) {
        assert.equal(matches(source, `${'a'.repeat(length)}!`), false);
      }
    });
  }
});

describe('what cannot be matched in time is refused', () => {
  const refused = [
    '(a)\\1',
    '^(a+)+\\1$',
    '(?i:(a+)+)$',
    '((a{100}){100}){100}',
    '(?:(?:a|a){1,99}){1,500}b',
  ];
  for (const source of refused) {
    it(source, () => assert.throws(() => matches(source, long), LimitExceeded));
  }

  it('but a short text is matched', () => {
    assert.equal(matches('^(\\w+) \\1$', 'again again'), true);
    assert.equal(matches('(["\'])[^"\']*\\1', `say "${'a'.repeat(50)}"`), true);
    assert.equal(matches('(?i:yes|no)', 'YES'), true);
  });

  it('and so is a text for which RegExp has no room', () => {
    assert.throws(() => matches('^(ab)*$', 'ab'.repeat(2.5e7)), LimitExceeded);
  });
});

describe('common patterns answer as RegExp does', () => {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  const part = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
  const common: Record<string, readonly [pattern: string, text: string]> = {
    email: ['^[\\w.%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$', 'some.one+tag@mail.example.org'],
    domain: [`^(?:${label}\\.)+[a-z]{2,}$`, 'a.mail-host.example.org'],
    host: [
      '^(?=.{1,253}$)(?:(?!-)[\\w-]{1,63}(?<!-)\\.)+[a-z]{2,63}$',
      'www.mail-host.example.org',
    ],
    uuid: ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '123e4567-e89b-12d3-a456-426614174000'],
    time: [
      '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$',
      '2024-01-31T12:00:05.25Z',
    ],
    semver: [
      `^\\d+\\.\\d+\\.\\d+(?:-${part}(?:\\.${part})*)?(?:\\+[\\w.-]+)?$`,
      '1.20.3-beta.11+build.5',
    ],
    slug: ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-slug-of-some-words'],
    path: ['^(?:/[^/\\0]+)+/?$', '/srv/data/some file.txt'],
    address: ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$', '192.168.10.254'],
    password: ['^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$', 'Correct1Horse'],
    list: ['^\\s*[^,]+(?:\\s*,\\s*[^,]+)*\\s*$', 'one, two , three'],
  };
  for (const [name, [source, text]] of Object.entries(common)) {
    it(name, () => {
      const expression = new RegExp(source, 'u');
      assert.equal(matches(source, text), true);
      const place = fc.nat({ max: text.length });
      const edits = fc.tuple(
        place,
        place,
        fc.constantFrom('', '-', '.', '/', 'a', '0', ' ', '\n', '@', 'é', '😀'),
      );
      fc.assert(
        fc.property(fc.array(edits, { maxLength: 3 }), (all) => {
          const edited = all.reduce(
            (so, [at, to, by]) => so.slice(0, at) + by + so.slice(to),
            text,
          );
          assert.equal(matches(source, edited), expression.test(edited), edited);
        }),
        { numRuns: 200 },
      );
    });
  }
});
