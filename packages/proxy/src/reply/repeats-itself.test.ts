import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createGuard,
  externalTool,
  freshProgress,
  judgeReply,
  progressFromHistory,
} from '@forge/core';
import { calls } from '@forge/core/testing';
import { wires } from '@forge/models';
import fc from 'fast-check';
import { peekRequest } from '../request/peek-request.ts';
import { mayRepeat } from './repeats-itself.ts';

const chat = wires['openai-chat'];
const guard = createGuard({
  tools: ['a', 'b'].map((name) =>
    externalTool({ name, description: '', inputSchema: { type: 'object' } }),
  ),
});

function turn(name: string, args: string, result: string, at: number) {
  const call = { id: `${at}`, type: 'function', function: { name, arguments: args } };
  return [
    { role: 'assistant', content: 'Hm, "tool_calls": []', tool_calls: [call] },
    { role: 'tool', tool_call_id: `${at}`, content: result },
  ];
}

function peeked(messages: readonly object[]) {
  const bytes = Buffer.from(JSON.stringify({ messages, model: 'm' }));
  const peek = peekRequest(bytes, new Set(['messages']));
  assert.ok(peek);
  return { bytes, peek };
}

describe('mayRepeat', () => {
  it('is true wherever the whole history would show a loop', () => {
    const step = fc.tuple(
      fc.constantFrom('a', 'b'),
      fc.constantFrom('{"x":1}', '{ "x" : 1 }', '{}'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), step, (steps, [name, args]) => {
        const messages = steps.flatMap(([each, given], at) => turn(each, given, 'same', at));
        const reply = calls([name, JSON.parse(args)]);
        const progress = progressFromHistory(
          guard,
          chat.decodeRequest({ model: 'm', messages }).messages,
        );
        const looped = judgeReply(guard, progress, reply, 'i').kind !== 'execute';
        const told = mayRepeat(chat, {
          ...peeked(messages),
          calls: [{ name, args: JSON.parse(args) }],
        });
        assert.ok(told || !looped, 'a loop was not seen');
        assert.equal(judgeReply(guard, freshProgress, reply, 'i').kind, 'execute');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is false for a call none of the last turns made, and for a history without calls', () => {
    const messages = [1, 2, 3].flatMap((at) => turn('a', `{"x":${at}}`, 'r', at));
    const seen = peeked(messages);
    assert.equal(mayRepeat(chat, { ...seen, calls: [{ name: 'a', args: { x: 9 } }] }), false);
    assert.equal(mayRepeat(chat, { ...seen, calls: [{ name: 'a', args: { x: 3 } }] }), true);
    const empty = peeked([{ role: 'user', content: 'hi' }]);
    assert.equal(mayRepeat(chat, { ...empty, calls: [{ name: 'a', args: {} }] }), false);
  });

  it('cannot tell on other wires, or where the marks are no calls', () => {
    const seen = peeked([{ role: 'user', content: 'hi' }]);
    assert.equal(mayRepeat(wires['anthropic-messages'], { ...seen, calls: [] }), true);
    const odd = peeked([{ role: 'user', content: ['tool_calls', 'tool_calls'] }]);
    assert.equal(mayRepeat(chat, { ...odd, calls: [{ name: 'a', args: {} }] }), true);
  });
});
