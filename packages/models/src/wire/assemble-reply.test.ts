import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AssistantPart } from '@forge/core';
import fc from 'fast-check';
import { assembleReply } from './assemble-reply.ts';
import { eventsOfReply } from './events-of-reply.ts';
import type { StreamEvent, WireReply } from './wire.ts';

const start: StreamEvent = { type: 'start', extra: {} };
const finish: StreamEvent = { type: 'finish', finish: 'stop', extra: {} };

function says(text: string): StreamEvent {
  return { type: 'text', text };
}

function contentOf(...events: readonly StreamEvent[]) {
  return assembleReply([start, ...events, finish], 'anthropic-messages').content;
}

describe('a reply from its stream', () => {
  it('joins pieces and keeps the order of blocks', () => {
    assert.deepEqual(
      contentOf(
        { type: 'reasoning', text: 'let ' },
        { type: 'reasoning', text: 'me see' },
        { type: 'signature', signature: 's1' },
        { type: 'reasoning', text: 'more' },
        says('a'),
        says('b'),
        { type: 'call', index: 0, id: 'c1', name: 'get', provider: { mark: 1 } },
        { type: 'args', index: 0, text: '{"x":' },
        { type: 'args', index: 0, text: '1}' },
        says('after'),
        { type: 'opaque', value: { type: 'odd' } },
      ),
      [
        { type: 'reasoning', text: 'let me see', signature: 's1' },
        { type: 'reasoning', text: 'more' },
        { type: 'text', text: 'ab' },
        { type: 'tool_call', id: 'c1', name: 'get', args: '{"x":1}', provider: { mark: 1 } },
        { type: 'text', text: 'after' },
        { type: 'opaque', wire: 'anthropic-messages', value: { type: 'odd' } },
      ],
    );
  });

  it('keeps parallel calls apart, even when their arguments alternate', () => {
    const content = contentOf(
      { type: 'call', index: 0, id: 'c1', name: 'a' },
      { type: 'call', index: 1, id: 'c2', name: 'b' },
      { type: 'args', index: 1, text: '[' },
      { type: 'args', index: 0, text: '{' },
      { type: 'args', index: 1, text: ']' },
      { type: 'args', index: 0, text: '}' },
    );
    assert.deepEqual(
      content.map((part) => part.type === 'tool_call' && part.args),
      ['{}', '[]'],
    );
  });

  it('takes a call without arguments for an empty object, but not one that was cut off', () => {
    const call: StreamEvent = { type: 'call', index: 0, id: 'c1', name: 'now' };
    const [whole] = contentOf(call);
    assert.deepEqual(whole?.type === 'tool_call' && whole.args, {});
    const cut: StreamEvent = { type: 'finish', finish: 'length', extra: {} };
    const [part] = assembleReply([start, call, cut], 'ollama').content;
    assert.equal(part?.type === 'tool_call' && part.args, '');
  });

  it('keeps a proof that stands alone', () => {
    assert.deepEqual(contentOf({ type: 'signature', signature: 'sealed' }), [
      { type: 'reasoning', text: '', signature: 'sealed' },
    ]);
  });

  it('carries id, model, usage, finish and extra fields', () => {
    const reply = assembleReply(
      [
        { type: 'start', id: 'r', model: 'm', extra: { a: 1 } },
        {
          type: 'finish',
          finish: 'other',
          usage: { inputTokens: 1, outputTokens: 2 },
          extra: { b: 2 },
        },
      ],
      'gemini',
    );
    assert.deepEqual(reply, {
      id: 'r',
      model: 'm',
      content: [],
      finish: 'other',
      usage: { inputTokens: 1, outputTokens: 2 },
      extra: { a: 1, b: 2 },
    });
  });

  it('is an error where the stream is one, or has no end', () => {
    const error = { kind: 'overloaded', message: 'full' } as const;
    assert.throws(() => contentOf({ type: 'error', error }), { kind: 'overloaded' });
    assert.throws(() => assembleReply([start, says('half')], 'ollama'), { kind: 'bad_response' });
  });

  it('survives the way there and back', () => {
    const plain = { noNullPrototype: true };
    const part: fc.Arbitrary<AssistantPart> = fc.oneof(
      fc.record(
        {
          type: fc.constant('text' as const),
          text: fc.string({ minLength: 1 }),
          provider: fc.constantFrom({ gemini: { mark: 1 } }, { gemini: { mark: 2 } }),
        },
        { ...plain, requiredKeys: ['type', 'text'] },
      ),
      fc.record(
        {
          type: fc.constant('reasoning' as const),
          text: fc.string({ minLength: 1 }),
          signature: fc.string({ minLength: 1 }),
        },
        plain,
      ),
      fc.record(
        {
          type: fc.constant('tool_call' as const),
          id: fc.string(),
          name: fc.string(),
          args: fc.json(),
        },
        plain,
      ),
    );
    fc.assert(
      fc.property(fc.array(part), (content) => {
        const reply: WireReply = { id: 'r', content, finish: 'stop', extra: { a: 1 } };
        assert.deepEqual(assembleReply(eventsOfReply(reply), 'gemini'), reply);
      }),
    );
  });
});
