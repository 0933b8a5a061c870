import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSchema, type JsonSchema, type ToolSpec, textOf, userMessage } from '@forge/core';
import fc from 'fast-check';
import { MadeUpValues } from './made-up-values.ts';
import { workedExamples } from './worked-examples.ts';

const property: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constantFrom<JsonSchema>(
    true,
    { type: 'string' },
    { type: 'string', maxLength: 3 },
    { type: 'string', format: 'date' },
    { type: 'string', enum: ['text', 'html'] },
    { type: 'string', examples: ['src/a.ts'] },
    { type: 'integer' },
    { type: 'integer', minimum: 1, maximum: 5 },
    { type: 'boolean' },
    { type: 'array', items: { type: 'string' } },
    { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  ),
);

const tools: fc.Arbitrary<ToolSpec[]> = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-zA-Z][\w.-]{0,20}$/),
    description: fc.string({ unit: 'grapheme', maxLength: 300 }),
    inputSchema: fc.dictionary(fc.string({ minLength: 1 }), property).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    })),
  }),
  { maxLength: 12 },
);

describe('worked examples', () => {
  it('fit their tools, whatever those are, and name every value they use', () => {
    fc.assert(
      fc.property(tools, fc.string(), (offered, said) => {
        const { messages } = workedExamples(offered, [userMessage(said)]);
        assert.equal(messages.length, offered.length * 2);
        for (const [index, tool] of offered.entries()) {
          const [asked, made] = messages.slice(index * 2);
          assert.ok(asked?.role === 'user' && made?.role === 'assistant');
          const [call] = made.content;
          assert.ok(call?.type === 'tool_call' && call.name === tool.name);
          assert.deepEqual(compileSchema(tool.inputSchema).issues(call.args), []);
          for (const value of Object.values(Object(call.args))) {
            const shown = typeof value === 'string' ? value : JSON.stringify(value);
            assert.ok(textOf(asked).includes(shown));
          }
        }
      }),
    );
  });

  it('keep what the author of a schema wrote, and are made up where nobody wrote anything', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        path: { type: 'string', examples: ['src/a.ts'] },
        day: { type: 'string', format: 'date' },
        stars: { type: 'integer', maximum: 5 },
        note: { type: 'string' },
      },
      required: ['path', 'day', 'stars', 'note'],
    };
    const { messages } = workedExamples([{ name: 'a', description: '', inputSchema }], []);
    const [call] = messages[1]?.content ?? [];
    assert.ok(call?.type === 'tool_call');
    const args = { path: 'src/a.ts', day: '2025-01-31', stars: 1, note: 'green door' };
    assert.deepEqual(call.args, args);
  });

  it('are for every tool or for none, and for none whose schema cannot be read', () => {
    const tool = { name: 'a', description: 'A. B.', inputSchema: { type: 'object' } };
    const many = Array.from({ length: 13 }, () => tool);
    assert.equal(workedExamples(many, []).messages.length, 0);
    assert.equal(workedExamples(many.slice(1), []).messages.length, 24);
    const broken = { ...tool, inputSchema: { type: 'wrong' } };
    assert.equal(workedExamples([broken, tool], []).messages.length, 2);
  });
});

describe('made-up values', () => {
  const any = () => true;

  it('are made of nothing that was said, and run out', () => {
    const values = new MadeUpValues('The GREEN one by the river, number 317.');
    assert.equal(values.takePhrase(any), 'paper moon');
    assert.equal(values.takeNumber(any), 529);
    let count = 0;
    while (values.takePhrase(any) !== undefined) count += 1;
    assert.equal(count, 7 * 7 - 1);
  });

  it('are known again, in part and in other spellings, but only once taken', () => {
    const values = new MadeUpValues('');
    assert.equal(values.holds('green door'), false);
    assert.equal(values.takePhrase(any), 'green door');
    assert.equal(values.takeNumber(any), 317);
    for (const copied of ['green door', 'Green_Door', 'door', 317, '317']) {
      assert.equal(values.holds(copied), true);
    }
    for (const real of ['green house', 'quiet', '', 31, true, null, ['green door']]) {
      assert.equal(values.holds(real), false);
    }
  });

  it('stay where they are when they do not fit', () => {
    const values = new MadeUpValues('');
    assert.equal(
      values.takePhrase(() => false),
      undefined,
    );
    assert.equal(values.takePhrase(any), 'green door');
  });
});
