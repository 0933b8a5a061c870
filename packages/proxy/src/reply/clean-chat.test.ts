import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGuard, externalTool, freshProgress } from '@forge/core';
import { wires } from '@forge/models';
import fc from 'fast-check';
import { Turn } from '../turn/turn.ts';
import { readCleanChat } from './clean-chat.ts';

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
const tools = ['get_weather', 'search'].map((name) =>
  externalTool({ name, description: '', inputSchema }),
);
const guard = createGuard({ tools });

/** Mostly what it should be, and now and then anything. */
function mostly<T>(good: readonly T[], bad: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: bad },
  );
}

const args = mostly(
  ['{"city":"Rom"}', '{"city":"Rom","days":2}'],
  fc.oneof(
    fc.constantFrom(
      '{"city":"Rom","days":"2"}',
      '{"town":"Rom"}',
      '{',
      '',
      '[]',
      '{"city":"Rom"} ,',
    ),
    fc.constantFrom('{"city":"Rom","city":"Oslo"}', '{"city":"Rom","more":1}', null),
    fc.json(),
    fc.object(),
  ),
);
const call = fc.record({
  id: mostly(['a', 'b', 'c'], fc.constantFrom('', null, 7)),
  type: mostly(['function'], fc.constantFrom('custom', null, undefined)),
  function: fc.record({
    name: mostly(['get_weather', 'search'], fc.constantFrom('Search', 'nope', '', null)),
    arguments: args,
  }),
});
const message = fc.record({
  content: mostly(['', null, 'Let me see.'], fc.constantFrom([], ['x'], 7)),
  tool_calls: fc.oneof(
    { weight: 12, arbitrary: fc.array(call, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(null, [], {}) },
  ),
  reasoning_content: fc.constantFrom(undefined, 'hm'),
  function_call: mostly([undefined], fc.constant({ name: 'search', arguments: '{}' })),
});
const choice = fc.record({
  index: fc.nat(1),
  finish_reason: mostly(['tool_calls'], fc.constantFrom('stop', 'length', null)),
  message,
});
const body = fc.record({
  id: fc.string(),
  error: mostly([undefined], fc.constant({ message: 'x' })),
  choices: fc.array(choice, { minLength: 1, maxLength: 1 }),
  usage: mostly([{ prompt_tokens: 1, completion_tokens: 2 }, undefined], fc.jsonValue()),
});

it('what is clean at a glance, the long way takes unchanged', () => {
  let clean = 0;
  fc.assert(
    fc.property(body, fc.boolean(), (reply, oneCall) => {
      if (readCleanChat(reply, guard, oneCall) === undefined) return;
      clean += 1;
      const turn = new Turn({
        rules: { guard, oneCall, format: undefined, respondTool: false },
        progress: () => freshProgress,
        mayRepeat: () => true,
        first: { rung: 'native', read: (came) => came },
        climb: () => assert.fail('asked again'),
        maxRetries: 3,
        checkFormat: () => assert.fail('no format'),
        newId: () => 'id',
        onBug: (error) => assert.fail(String(error)),
      });
      const ruling = turn.judge(wires['openai-chat'].decodeReply(reply));
      assert.ok(ruling.kind === 'take' && !ruling.changed, JSON.stringify(reply));
      assert.equal(ruling.outcome, 'clean');
    }),
    { numRuns: 5_000 },
  );
  assert.ok(clean > 500, `only ${clean} of the replies were clean`);
});
