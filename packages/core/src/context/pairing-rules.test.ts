import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Message, text, userMessage } from '../messages/message.ts';
import { assistant, call, result, resultPart } from './build-window.test.ts';
import { type Provider, pairingViolations } from './pairing-rules.ts';

const go = userMessage('go');
const cases: { what: string; messages: Message[]; wrongFor: Provider[] }[] = [
  {
    what: 'two calls with their results',
    messages: [
      go,
      assistant(call('a'), call('b')),
      result('a', '1'),
      result('b', '2'),
      assistant(text('done')),
    ],
    wrongFor: [],
  },
  {
    what: 'all results in one message',
    messages: [
      go,
      assistant(call('a'), call('b')),
      { role: 'tool', content: [resultPart('a', '1'), resultPart('b', '2')] },
    ],
    wrongFor: [],
  },
  {
    what: 'a call without a result',
    messages: [go, assistant(call('a'), call('b')), result('a', '1'), userMessage('and?')],
    wrongFor: ['openai', 'anthropic', 'gemini'],
  },
  {
    what: 'a last call without a result',
    messages: [go, assistant(call('a'))],
    wrongFor: ['openai', 'anthropic', 'gemini'],
  },
  {
    what: 'a result without a call',
    messages: [go, result('a', '1')],
    wrongFor: ['openai', 'anthropic', 'gemini'],
  },
  {
    what: 'a user between a call and its result',
    messages: [go, assistant(call('a')), userMessage('wait'), result('a', '1')],
    wrongFor: ['openai', 'anthropic'],
  },
  {
    what: 'the same result twice',
    messages: [go, assistant(call('a')), result('a', '1'), result('a', '1')],
    wrongFor: ['openai', 'anthropic', 'gemini'],
  },
  {
    what: 'results by other names',
    messages: [go, assistant(call('a', 'read')), result('a', '1', 'write')],
    wrongFor: ['gemini'],
  },
  {
    what: 'the same id in two replies',
    messages: [go, assistant(call('a')), result('a', '1'), assistant(call('a')), result('a', '2')],
    wrongFor: ['anthropic'],
  },
  {
    what: 'the model speaks first',
    messages: [assistant(text('hello')), go],
    wrongFor: ['anthropic'],
  },
  { what: 'an empty reply', messages: [go, assistant(), go], wrongFor: ['openai', 'anthropic'] },
];

for (const { what, messages, wrongFor } of cases) {
  test(`${what}: ${wrongFor.length === 0 ? 'right for all' : `wrong for ${wrongFor.join(', ')}`}`, () => {
    for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
      const found = pairingViolations(provider, messages);
      assert.equal(
        found.length > 0,
        wrongFor.includes(provider),
        `${provider}: ${found.join('; ')}`,
      );
    }
  });
}
