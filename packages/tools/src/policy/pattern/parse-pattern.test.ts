import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { escapeGlob, literalOf, parseGlob } from './glob.ts';
import { parsePattern } from './parse-pattern.ts';

function refusal(pattern: string): string {
  try {
    parsePattern(pattern);
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_options'), String(error));
    return error.message;
  }
  return assert.fail(`"${pattern}" was read`);
}

describe('parsePattern', () => {
  it('reads a tool, alone or with whatever arguments', () => {
    for (const text of ['search', 'search(*)', 'search(**)']) {
      const { tool, condition } = parsePattern(text);
      assert.equal(literalOf(tool), 'search');
      assert.equal(condition, undefined);
    }
    assert.equal(literalOf(parsePattern('github_*').tool), undefined);
  });

  it('reads a pattern on the main argument, on a named one, and bounds', () => {
    const main = parsePattern('shell(git log (all)*)').condition;
    assert.ok(main?.type === 'like' && main.argument === undefined);
    const named = parsePattern('write_file(path=src/**)').condition;
    assert.ok(named?.type === 'like' && named.argument === 'path');
    assert.deepEqual(parsePattern('pay(amount<=100)').condition, {
      type: 'at_most',
      argument: 'amount',
      bound: 100,
    });
    assert.deepEqual(parsePattern('pay(amount>=-1.5)').condition, {
      type: 'at_least',
      argument: 'amount',
      bound: -1.5,
    });
  });

  it('says what is wrong, and what to write', () => {
    assert.match(refusal(''), /names a tool/);
    assert.match(refusal('(x)'), /name of a tool/);
    assert.match(refusal('two words'), /without spaces/);
    assert.match(refusal(' shell(x)'), /without spaces/);
    assert.match(refusal('shell(git'), /closing parenthesis/);
    assert.match(refusal('shell()'), /Write shell for all calls/);
    assert.match(refusal('pay(amount<=lots)'), /no number.*pay\(amount<=100\)/);
    assert.match(refusal('pay(amount<=)'), /no number/);
    assert.match(refusal('shell(a\\b)'), /backslash/);
    assert.match(refusal('shell(a\nb)'), /one line/);
    assert.match(refusal(`shell(${'x'.repeat(500)})`), /at most 500/);
  });

  it('reads anything, or refuses it in words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          assert.equal(parsePattern(text).text, text);
        } catch (error) {
          assert.ok(ForgeError.is(error, 'invalid_options'));
        }
      }),
    );
  });

  it('gets any text back that was escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(literalOf(parseGlob(escapeGlob(text))), text);
      }),
    );
  });
});
