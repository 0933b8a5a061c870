import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlainDelta } from './plain-delta.ts';

function chunk(delta: unknown, choice: object = {}, more: object = {}) {
  return { id: 'r', ...more, choices: [{ index: 0, finish_reason: null, delta, ...choice }] };
}

const args = { index: 1, function: { arguments: '{' } };

test('reads the next words, thoughts and arguments', () => {
  assert.deepEqual(readPlainDelta(chunk({ role: 'assistant', content: 'a', refusal: null })), {
    reasoning: '',
    content: 'a',
    call: undefined,
  });
  assert.deepEqual(readPlainDelta(chunk({ content: null, reasoning_content: 'r' })), {
    reasoning: 'r',
    content: '',
    call: undefined,
  });
  assert.equal(readPlainDelta(chunk({ reasoning: 'r', reasoning_content: 'r' }))?.reasoning, 'r');
  assert.equal(readPlainDelta(chunk({ reasoning: 'r' }))?.reasoning, 'r');
  assert.deepEqual(readPlainDelta(chunk({ tool_calls: [args] }, { logprobs: null })), {
    reasoning: '',
    content: '',
    call: args,
  });
});

const unusual: Record<string, unknown> = {
  'no object': 'x',
  'no choices': { choices: [] },
  'two choices': {
    choices: [
      { index: 0, delta: {} },
      { index: 1, delta: {} },
    ],
  },
  'another choice': chunk({ content: 'a' }, { index: 1 }),
  'a finish reason': chunk({ content: 'a' }, { finish_reason: 'stop' }),
  usage: chunk({ content: 'a' }, {}, { usage: { prompt_tokens: 1 } }),
  'usage of Groq': chunk({ content: 'a' }, {}, { x_groq: { usage: {} } }),
  'usage in the choice': chunk({ content: 'a' }, { usage: { prompt_tokens: 1 } }),
  'no delta': chunk(undefined),
  'content in parts': chunk({ content: [{ type: 'text', text: 'a' }] }),
  'content of the wrong type': chunk({ content: 5 }),
  'reasoning with its details': chunk({ reasoning: 'r', reasoning_details: [] }),
  'a field without a word': chunk({ content: 'a', annotations: [{}] }),
  'the start of a call': chunk({ tool_calls: [{ ...args, id: 'c' }] }),
  'a name': chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] }),
  'arguments without index': chunk({ tool_calls: [{ function: { arguments: '' } }] }),
  'arguments as an object': chunk({ tool_calls: [{ index: 0, function: { arguments: {} } }] }),
  'two calls': chunk({ tool_calls: [args, args] }),
};

for (const [what, value] of Object.entries(unusual)) {
  test(`leaves ${what} to the schema`, () => assert.equal(readPlainDelta(value), undefined));
}
