import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createGuard,
  defineTool,
  freshProgress,
  type JsonSchema,
  type JsonValue,
  judgeReply,
} from '@forge/core';
import fc from 'fast-check';
import { mendedKind } from './mended-kind.ts';

/** What the kernel says it mended in a call with these arguments. */
function mendedBy(properties: Record<string, JsonSchema>, args: JsonValue, name = 'act') {
  const tool = defineTool({
    name: 'act',
    description: '',
    input: { type: 'object', properties, additionalProperties: false },
  });
  const reply = {
    content: [{ type: 'tool_call' as const, id: 'c', name, args }],
    finish: 'tool_calls' as const,
  };
  const verdict = judgeReply(createGuard({ tools: [tool] }), freshProgress, reply, 'x');
  assert.equal(verdict.kind, 'execute');
  return verdict.mended.map(({ what }) => mendedKind(what));
}

describe('mendedKind', () => {
  const number = { type: 'number' };
  const cases: [string, string, () => (string | undefined)[]][] = [
    ['a number as text', 'read_as_number', () => mendedBy({ n: number }, { n: '3' })],
    ['text as a number', 'read_as_text', () => mendedBy({ n: { type: 'string' } }, { n: 3 })],
    [
      'a boolean as text',
      'read_as_boolean',
      () => mendedBy({ n: { type: 'boolean' } }, { n: 'true' }),
    ],
    [
      'one value for a list',
      'read_as_list',
      () => mendedBy({ n: { type: 'array', items: number } }, { n: 3 }),
    ],
    ['JSON in text', 'json_text', () => mendedBy({ n: { type: 'object' } }, { n: '{"a":1}' })],
    ['an allowed value', 'spelling', () => mendedBy({ n: { enum: ['Paris'] } }, { n: 'paris' })],
    ['a property', 'property_name', () => mendedBy({ userName: number }, { user_name: 1 })],
    ['null for nothing', 'null_left_out', () => mendedBy({ n: number }, { n: null })],
    ['one level too deep', 'unwrapped', () => mendedBy({ n: number }, { arguments: { n: 1 } })],
    ['no arguments', 'empty_arguments', () => mendedBy({}, null)],
    ['the name of the tool', 'tool_name', () => mendedBy({}, {}, 'functions.act')],
    ['damaged JSON', 'trailing_comma', () => mendedBy({ n: number }, '{"n":1,}')],
  ];
  for (const [name, kind, run] of cases) {
    it(`names ${name} ${kind}`, () => assert.deepEqual(run(), [kind]));
  }

  it('counts a rescue by its format only', () => {
    assert.equal(mendedKind('found as text (hermes)'), undefined);
  });

  it('keeps nothing of what was said', () => {
    fc.assert(
      fc.property(fc.string(), (said) => {
        const kind = mendedKind(`city: read ${JSON.stringify(said)} as "x y"`);
        assert.equal(kind, 'spelling');
        assert.match(mendedKind(`${said} !`) ?? 'none', /^[a-z_]{1,40}$/);
      }),
    );
  });
});
