import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markerOf } from './markers.ts';
import { lexBracket, lexTag } from './tag.ts';

describe('lexTag', () => {
  it('reads tags, special tokens and the mistakes in them', () => {
    const names: readonly (readonly [string, string, number])[] = [
      ['<tool_call>x', 'tool_call', 11],
      ['</tool_call>', 'tool_call', 12],
      ['<|tool_call|>', 'tool_call', 13],
      ['<|/tool_call|>', 'tool_call', 14],
      ['<|tool_call>', 'tool_call', 12],
      ['<tool_call|>', 'tool_call', 12],
      ['<｜tool▁call▁begin｜>', 'tool▁call▁begin', 19],
      ['<｜DSML｜invoke name="f">', 'invoke', 23],
      ['<function=f{"a":1}', 'function', 11],
      ['<tool_call{"a":1}', 'tool_call', 10],
      ['<<function>>f()', 'function', 12],
      ['<tool call>', 'tool call', 11],
    ];
    for (const [text, name, end] of names) {
      const tag = lexTag(text, 0);
      assert.deepEqual([tag?.name, tag?.end], [name, end], text);
    }
  });

  it('reads attributes and values', () => {
    const tag = lexTag('<parameter name="a b" string=\'true\' x=1 y>', 0);
    assert.deepEqual(
      [...(tag?.attributes ?? [])],
      [
        ['name', 'a b'],
        ['string', 'true'],
        ['x', '1'],
        ['y', ''],
      ],
    );
    assert.equal(lexTag('<function="f">', 0)?.value, 'f');
    assert.equal(lexTag('<ping/>', 0)?.selfClosing, true);
  });

  it('leaves comparisons and halves alone', () => {
    for (const text of ['<', '< 2', '<3', '<tool_ca', '<-', '<=', '<!-- x -->']) {
      assert.equal(lexTag(text, 0), undefined, text);
    }
  });
});

describe('markerOf', () => {
  it('knows markers by name, whatever their case, separators and vendor', () => {
    const roles: readonly (readonly [string, string | undefined])[] = [
      ['<TOOL-CALL>', 'open'],
      ['<minimax:tool_call>', 'open'],
      ['<tool_call:opensource>', 'open'],
      ['<acme_tool_calls>', 'open'],
      ['<seed:think>', 'think'],
      ['<|end|>', 'noise'],
      ['<end>', undefined],
      ['<functional>', undefined],
      ['<div>', undefined],
    ];
    for (const [text, role] of roles) {
      const tag = lexTag(text, 0);
      assert.equal(tag && markerOf(tag)?.role, role, text);
    }
  });
});

describe('lexBracket', () => {
  it('reads markers and leaves links, footnotes and tasks alone', () => {
    assert.equal(lexBracket('[TOOL_CALLS][', 0)?.name, 'TOOL_CALLS');
    assert.equal(lexBracket('[/THINK]', 0)?.close, true);
    for (const text of ['[1]', '[x]', '[ ]', '[RFC]', '[docs](u)', '[A', '[NOTE]']) {
      assert.equal(lexBracket(text, 0), undefined, text);
    }
  });
});
