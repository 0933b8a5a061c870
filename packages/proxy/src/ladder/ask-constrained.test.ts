import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compileSchema,
  type Message,
  type ToolChoice,
  text,
  textOf,
  userMessage,
} from '@forge/core';
import type { WireReply, WireRequest } from '@forge/models';
import type { RefusedReply } from './ask.ts';
import { askConstrained } from './ask-constrained.ts';
import {
  conversation,
  judge,
  refusalOf,
  asking as request,
  textReply,
} from './ladder-fixtures.test.ts';

/** With more to keep than the others. */
function asking(toolChoice: ToolChoice, ...more: readonly Message[]): WireRequest {
  const settings = { temperature: 0, maxTokens: 64 };
  const messages = [...conversation, ...more];
  return request(toolChoice, { messages, settings, stream: true, extra: { a: 1 } });
}

function ask(
  request: WireRequest,
  before: readonly RefusedReply[] = [],
  since: readonly RefusedReply[] = [],
) {
  return askConstrained({ request, before, since });
}

function step(name: string, args: unknown): WireReply {
  return textReply(JSON.stringify({ next: { name, arguments: args } }));
}

/** The conversation as the backend gets it: who speaks, and what. */
function transcript({ messages }: WireRequest): string[] {
  return messages.map((message) => {
    assert.ok(message.role !== 'tool');
    return `${message.role}: ${textOf(message).trim()}`;
  });
}

describe('a constrained ask', () => {
  it('shows one worked example per tool, made from the tool alone', () => {
    const [system, ...rest] = transcript(ask(asking('required')).request);
    assert.match(system ?? '', /^system: Be brief\.[\s\S]*## get_weather/);
    assert.deepEqual(rest, [
      'user: Get the weather in a city: city green door.',
      'assistant: {"next": {"name": "get_weather", "arguments": {"city":"green door"}}}',
      'user: set timer: wait minutes 317, sound bell.',
      'assistant: {"next": {"name": "setTimer", "arguments": {"waitMinutes":317,"sound":"bell"}}}',
      'user: Wake me in 45 minutes.',
    ]);
  });

  it('keeps what the client set, and asks for the shape instead of its tools', () => {
    const { rung, request } = ask(asking('required'));
    assert.equal(rung, 'constrained');
    assert.deepEqual(request.tools, []);
    assert.equal(request.toolChoice, 'auto');
    assert.deepEqual(request.settings, { temperature: 0, maxTokens: 64 });
    assert.deepEqual([request.stream, request.extra], [true, { a: 1 }]);
    const format = request.responseFormat;
    assert.ok(format?.type === 'json_schema');
    const { accepts } = compileSchema(format.schema);
    assert.equal(accepts({ next: { name: 'get_weather', arguments: { city: 'Oslo' } } }), true);
    assert.equal(accepts({ next: { name: 'get_weather', arguments: {} } }), false);
    assert.equal(accepts({ next: { answer: 'No.' } }), false);
  });

  it('speaks of nothing but the tool that was named', () => {
    const { request } = ask(asking({ tool: 'setTimer' }));
    assert.doesNotMatch(transcript(request).join('\n'), /get_weather/);
  });

  it('shows no examples where an answer will do, or a call was already made', () => {
    const made: Message[] = [
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'c', name: 'get_weather', args: { city: 'Oslo' } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool_result', callId: 'c', name: 'get_weather', content: [text('sun')] },
        ],
      },
    ];
    for (const request of [asking('auto'), asking('required', ...made)]) {
      assert.doesNotMatch(transcript(ask(request).request).join('\n'), /green door/);
    }
  });

  it('makes up values that the conversation does not hold', () => {
    const request = asking('required', userMessage('A Green Door, 317 of them.'));
    const words = transcript(ask(request).request).join('\n');
    assert.match(words, /city quiet river[\s\S]*wait minutes 529/);
  });

  it('reads the call, and lets none through that was copied from an example', () => {
    const { read } = ask(asking('required'));
    const right = judge(read(step('get_weather', { city: 'Oslo' })));
    assert.ok(right.kind === 'execute');
    assert.deepEqual(right.calls[0]?.args, { city: 'Oslo' });
    for (const copied of [
      step('get_weather', { city: 'Green Door' }),
      step('get_weather', { city: 'green' }),
      step('setTimer', { waitMinutes: 317, sound: 'bell' }),
    ]) {
      const { problems } = refusalOf(read(copied));
      assert.deepEqual(
        problems.map(({ kind }) => kind),
        ['bad_arguments'],
      );
    }
  });

  it('drops refused prose, and tells what was wrong with a call', () => {
    const prose = refusalOf(textReply('Sure!'));
    const cut = refusalOf({ ...textReply('Well, it all began when'), finish: 'length' });
    const unknown = refusalOf({
      content: [{ type: 'tool_call', id: 'c', name: 'alarm', args: {} }],
      finish: 'tool_calls',
      extra: {},
    });
    const fresh = transcript(ask(asking('required')).request);
    for (const dropped of [prose, cut, unknown]) {
      assert.deepEqual(transcript(ask(asking('required'), [dropped]).request), fresh);
    }
    const wrong = refusalOf({
      content: [{ type: 'tool_call', id: 'c', name: 'setTimer', args: { waitMinutes: 45 } }],
      finish: 'tool_calls',
      extra: {},
    });
    const told = transcript(ask(asking('required'), [prose, wrong]).request);
    assert.equal(told.length, fresh.length + 2);
    assert.match(told.at(-1) ?? '', /ToolArgValidationError.*sound/);
  });

  it('keeps a tool whose call went wrong by itself, and tells what was wrong', () => {
    const request = asking('required');
    const wrong = refusalOf(ask(request).read(step('get_weather', {})));
    const words = transcript(ask(request, [], [wrong]).request);
    assert.match(words[0] ?? '', /## get_weather/);
    assert.match(words.at(-1) ?? '', /ToolArgValidationError.*city/);
  });

  it('never asks the same twice', () => {
    const request = asking('required');
    const cut = refusalOf({ ...textReply('{"next": {'), finish: 'length' });
    const words = transcript(ask(request, [], [cut]).request);
    assert.deepEqual(words.slice(0, -2), transcript(ask(request).request));
    assert.match(words.at(-1) ?? '', /^user: \[CutOff\]/);
  });

  it('leaves out a tool whose call was copied from an example', () => {
    const request = asking('required');
    const first = ask(request);
    const copied = refusalOf(first.read(step('get_weather', { city: 'green door' })));
    const second = ask(request, [], [copied]);
    assert.doesNotMatch(transcript(second.request).join('\n'), /get_weather/);
    const format = second.request.responseFormat;
    assert.ok(format?.type === 'json_schema');
    const { accepts } = compileSchema(format.schema);
    assert.equal(accepts({ next: { name: 'get_weather', arguments: { city: 'Oslo' } } }), false);
    const timer = { waitMinutes: 45, sound: 'bell' };
    assert.equal(accepts({ next: { name: 'setTimer', arguments: timer } }), true);
  });

  it('goes without examples where no tool would be left', () => {
    const request = asking({ tool: 'get_weather' });
    const copied = refusalOf(ask(request).read(step('get_weather', { city: 'green door' })));
    const words = transcript(ask(request, [], [copied]).request);
    assert.equal(words.length, 2);
    assert.match(words[0] ?? '', /## get_weather/);
    assert.doesNotMatch(words.join('\n'), /green door|ToolArgValidationError/);
  });
});
