import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AssistantPart,
  type Message,
  text,
  textOf,
  userMessage,
} from '../messages/message.ts';
import {
  answer,
  assistant,
  call,
  input,
  refusal,
  result,
  resultPart,
  step,
  windowOf,
} from './build-window.test.ts';
import type { PendingCalls } from './pending-calls.ts';
import { renderContext } from './render-context.ts';

/** `u` user, `a` assistant with its call ids, `t` tool with its call id, `s` system. */
function outline(messages: readonly Message[]): string {
  return messages
    .map(({ role, content }) => {
      const ids = content.flatMap((part) =>
        part.type === 'tool_call' ? part.id : part.type === 'tool_result' ? part.callId : [],
      );
      return `${role[0]}${ids.length > 0 ? `(${ids.join()})` : ''}`;
    })
    .join(' ');
}

function saidInPlaceOf(id: string, messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.filter((part) => part.callId === id).map((part) => textOf(part))
      : [],
  );
}

test('the system prompt comes first, and only if there is one', () => {
  const window = windowOf(input('go'));
  assert.equal(outline(renderContext({ system: 'Be brief.', window }).messages), 's u');
  assert.equal(outline(renderContext({ system: '', window }).messages), 'u');
});

test('results stand directly after their reply, in the order of the calls, one message each', () => {
  const window = windowOf(
    input('go'),
    [{ kind: 'reply', message: assistant(call('a'), call('b'), call('c')) }],
    input('one more thing'),
    [
      {
        kind: 'result',
        message: { role: 'tool', content: [resultPart('c', '3'), resultPart('a', '1')] },
      },
      { kind: 'result', message: result('b', '2') },
    ],
  );
  const { messages } = renderContext({ system: '', window });
  assert.equal(outline(messages), 'u a(a,b,c) t(a) t(b) t(c) u');
});

test('a call that waits gets a placeholder, in this rendering only', () => {
  const window = windowOf(
    input('go'),
    step({ a: undefined, b: undefined, c: '3' }),
    input('well?'),
  );
  const pendingCalls: PendingCalls = new Map([
    ['a', 'running'],
    ['b', 'awaiting_approval'],
  ]);
  const { messages } = renderContext({ system: '', window, pendingCalls });
  assert.equal(outline(messages), 'u a(a,b,c) t(a) t(b) t(c) u');
  assert.match(saidInPlaceOf('a', messages)[0] ?? '', /still running/);
  assert.match(saidInPlaceOf('b', messages)[0] ?? '', /waiting for a person to approve/);

  const arrived = windowOf(
    input('go'),
    step({ a: undefined, b: undefined, c: '3' }),
    input('well?'),
    [{ kind: 'result', message: result('a', 'here it is'), turn: 1 }],
  );
  const after = renderContext({ system: '', window: arrived, pendingCalls });
  assert.equal(outline(after.messages), 'u a(a,b,c) t(a) t(b) t(c) u');
  assert.deepEqual(saidInPlaceOf('a', after.messages), ['here it is']);
});

test('a call nobody waits for says that it has no result, a refused one that it was not run', () => {
  const lost = renderContext({ system: '', window: windowOf(input('go'), step({ a: undefined })) });
  assert.deepEqual(saidInPlaceOf('a', lost.messages), ['[no result was recorded for this call]']);
  const window = windowOf(input('go'), [
    { kind: 'rejected', message: assistant(call('x')) },
    { kind: 'nudge', message: userMessage('no such tool') },
  ]);
  const refused = renderContext({ system: '', window });
  assert.equal(outline(refused.messages), 'u a(x) t(x) u');
  assert.deepEqual(saidInPlaceOf('x', refused.messages), ['[not run]']);
});

test('orphan results, second results and empty replies are left out', () => {
  const window = windowOf(
    input('go'),
    [{ kind: 'result', message: result('ghost', 'boo') }],
    step({ a: '1' }),
    [{ kind: 'result', message: result('a', 'again') }],
    answer(' \n'),
    [{ kind: 'reply', message: assistant({ type: 'reasoning', text: 'only thoughts' }) }],
    input('next'),
  );
  const { messages } = renderContext({ system: '', window, reasoningReplay: 'full' });
  assert.equal(outline(messages), 'u a(a) t(a) u');
  assert.deepEqual(saidInPlaceOf('a', messages), ['1']);
});

test('a result carries the name its call had', () => {
  const window = windowOf(input('go'), [
    { kind: 'reply', message: assistant(call('a', 'read')) },
    { kind: 'result', message: result('a', '1', 'raed') },
  ]);
  const [, , message] = renderContext({ system: '', window }).messages;
  assert.ok(message?.role === 'tool');
  assert.equal(message.content[0]?.name, 'read');
});

test('messages that need no change are the stored objects', () => {
  const window = windowOf(input('go'), step({ a: '1' }), answer('done'));
  const { messages } = renderContext({ system: '', window });
  assert.deepEqual(
    messages.map((message, at) => message === window[at]?.message),
    [true, true, true, true],
  );
});

const thought = (words: string, signature?: string): AssistantPart => ({
  type: 'reasoning',
  text: words,
  ...(signature !== undefined && { signature }),
});

function thoughtsSent(
  window: Parameters<typeof renderContext>[0]['window'],
  replay?: 'none' | 'last' | 'full',
) {
  const { messages } = renderContext({ system: '', window, reasoningReplay: replay });
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'reasoning' ? part.text : [])),
  );
}

test('reasoning is replayed as asked: none by default, that of the last reply, or all', () => {
  const window = windowOf(input('go'), step({ a: '1' }, 'first'), step({ b: '2' }, 'second'));
  assert.deepEqual(thoughtsSent(window), []);
  assert.deepEqual(thoughtsSent(window, 'last'), ['second']);
  assert.deepEqual(thoughtsSent(window, 'full'), ['first', 'second']);
});

test('signed reasoning goes back while its tool loop is open, in every mode', () => {
  const window = windowOf(
    input('go'),
    [
      { kind: 'reply', message: assistant(thought('old', 'sig'), call('a')) },
      { kind: 'result', message: result('a', '1') },
    ],
    answer('done'),
    input('go on'),
    [
      { kind: 'reply', message: assistant(thought('new', 'sig'), call('b')) },
      { kind: 'result', message: result('b', '2') },
    ],
  );
  assert.deepEqual(thoughtsSent(window), ['new']);
});

test('blank text beside a call is not sent, unless a provider put something on it', () => {
  const marked: AssistantPart = { type: 'text', text: '', provider: { signature: 'x' } };
  const window = windowOf(input('go'), [
    { kind: 'reply', message: assistant(text(''), marked, call('a')) },
    { kind: 'result', message: result('a', '1') },
  ]);
  const reply = renderContext({ system: '', window }).messages[1];
  assert.deepEqual(reply?.content, [marked, call('a')]);
});

test('counts everything it sends', () => {
  const small = renderContext({ system: '', window: windowOf(input('go'), refusal('a', 'b')) });
  const large = renderContext({
    system: 'word '.repeat(100),
    window: windowOf(input('go'), refusal('a', 'b')),
  });
  assert.ok(large.tokens > small.tokens + 90);
});
