import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countHidden, neutralise } from './neutralise.ts';

describe('neutralise', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['plain text', 'a\tb\nc é 漢字', 'a\tb\nc é 漢字'],
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['cursor moves', 'ok\x1b[2K\x1b[1A\x1b[Hno', 'okno'],
    ['a title', '\x1b]0;evil\x07text', 'text'],
    ['a link', '\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\', 'here'],
    ['the clipboard', '\x1b]52;c;cm0gLXJm\x07', ''],
    ['device strings', 'a\x1bP1$r\x1b\\b\x1b_app\x1b\\c', 'abc'],
    ['8-bit sequences', 'a\x9b31mb\x9d0;t\x9cc', 'abc'],
    ['a reset', '\x1bca', 'a'],
    ['a sequence that never ends', 'a\x1b]0;shown\nb', 'a<U+001B>]0;shown\nb'],
    ['a lone escape', 'a\x1b', 'a<U+001B>'],
    ['line overwriting', 'safe\rrm\r\nx', 'safe\nrm\nx'],
    ['bell and backspace', 'a\x07b\x08', 'a<U+0007>b<U+0008>'],
    ['turned text', 'a\u202eb\u2066', 'a<U+202E>b<U+2066>'],
    ['zero width', 'a\u200bb\ufeffc\u00ad', 'a<U+200B>b<U+FEFF>c<U+00AD>'],
    ['tags', 'a\u{e0041}', 'a<U+E0041>'],
    ['joiners in Latin text', 'a\u200db', 'a<U+200D>b'],
    ['a family', '👩\u200d👩\u200d👧', '👩\u200d👩\u200d👧'],
    ['Persian', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['an emoji heart', '❤️', '❤️'],
    ['bytes in selectors', 'a\ufe01\ufe02', 'a<U+FE01><U+FE02>'],
    ['half a pair', 'a\ud800', 'a\ufffd'],
  ];
  for (const [what, text, expected] of rows) {
    it(`handles ${what}`, () => assert.equal(neutralise(text), expected));
  }

  it('leaves nothing that acts, and is the same when applied twice', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '\x1b',
          '[',
          ']',
          '\x07',
          '\\',
          '\x9b',
          '3m',
          '\r',
          '\n',
          '\u202e',
          '\u200d',
        ),
      ),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const once = neutralise(list.join(''));
        for (const character of once) {
          const code = character.codePointAt(0) ?? 0;
          assert.ok(code >= 0x20 || character === '\n' || character === '\t');
          assert.ok(code < 0x7f || code > 0x9f);
          assert.ok(code < 0x202a || code > 0x202e);
        }
        assert.equal(neutralise(once), once);
      }),
    );
  });
});

it('counts what is hidden', () => {
  assert.equal(countHidden('a\u202eb\u200bc\x1b[31m'), 2);
});
