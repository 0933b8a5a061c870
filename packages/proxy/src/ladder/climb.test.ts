import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Message, type ToolChoice, textOf } from '@forge/core';
import type { WireReply, WireRequest } from '@forge/models';
import { type ClimbOptions, climb } from './climb.ts';
import { asking, refusalOf, textReply } from './ladder-fixtures.test.ts';

const prose = refusalOf(textReply('Sure, I will wake you.'));
const called: WireReply = {
  content: [{ type: 'tool_call', id: 'c1', name: 'get_weather', args: {} }],
  finish: 'tool_calls',
  extra: {},
};
const badArguments = refusalOf(called);

function ask(options: Partial<ClimbOptions> & Pick<ClimbOptions, 'request'>) {
  return climb({
    refusals: [],
    advice: { mode: 'native', constrainAfter: undefined },
    policy: 'on-retry',
    tools: 'native',
    ...options,
  });
}

function wordsOf(messages: readonly Message[]): string {
  return messages
    .map((message) =>
      message.role === 'tool' ? message.content.map(textOf).join('') : textOf(message),
    )
    .join('\n');
}

describe('the ladder', () => {
  it('begins as the client asked', () => {
    const request = asking('required');
    const first = ask({ request });
    assert.equal(first.rung, 'native');
    assert.deepEqual(first.request, request);
    const reply = textReply('x');
    assert.equal(first.read(reply), reply);
  });

  it('describes the tools where the backend knows none', () => {
    const first = ask({ request: asking('auto'), tools: 'prompt' });
    assert.equal(first.rung, 'prompt');
    assert.deepEqual(first.request.tools, []);
    assert.match(wordsOf(first.request.messages), /Be brief\.[\s\S]*## get_weather/);
    const nudged = ask({ request: asking('auto'), tools: 'prompt', refusals: [badArguments] });
    assert.equal(nudged.rung, 'nudged');
    assert.match(
      wordsOf(nudged.request.messages),
      /<tool_response name="get_weather" error="true">/,
    );
  });

  it('tells what was wrong, and no more than two refusals of it', () => {
    const request = asking('auto');
    const nudged = ask({ request, refusals: [badArguments] });
    assert.equal(nudged.rung, 'nudged');
    assert.deepEqual(nudged.request.messages, [
      ...request.messages,
      badArguments.message,
      ...badArguments.nudges,
    ]);
    const refusals = Array.from({ length: 9 }, () => badArguments);
    const last = ask({ request, refusals, policy: 'off' });
    assert.equal(last.request.messages.length, request.messages.length + 4);
  });

  it('is held to a shape after one refusal where only a call will do, else after two', () => {
    const rungs = (toolChoice: ToolChoice, more: Partial<ClimbOptions> = {}) =>
      [0, 1, 2].map(
        (count) =>
          ask({
            request: asking(toolChoice),
            refusals: Array.from({ length: count }, () => badArguments),
            ...more,
          }).rung,
      );
    assert.deepEqual(rungs('required'), ['native', 'constrained', 'constrained']);
    assert.deepEqual(rungs({ tool: 'setTimer' }), ['native', 'constrained', 'constrained']);
    assert.deepEqual(rungs('auto'), ['native', 'nudged', 'constrained']);
    assert.deepEqual(rungs('none'), ['native', 'nudged', 'nudged']);
    assert.deepEqual(rungs('required', { policy: 'off' }), ['native', 'nudged', 'nudged']);
    assert.deepEqual(rungs('auto', { policy: 'always' }), Array(3).fill('constrained'));
    const advice = { mode: 'native', constrainAfter: 1 } as const;
    assert.deepEqual(rungs('auto', { advice }), ['native', 'constrained', 'constrained']);
  });

  it('takes nothing away that the client asked for', () => {
    const schema = { type: 'json_schema', schema: { type: 'object' } } as const;
    const kept: readonly WireRequest[] = [
      asking('required', { tools: [] }),
      asking('required', { extra: { tools: [{ type: 'custom', custom: { name: 'x' } }] } }),
      asking('required', { extra: { server_tools: [{ type: 'web_search', name: 'web' }] } }),
      asking('auto', { extra: { tool_choice: { type: 'allowed_tools' } } }),
      asking({ tool: 'web' }),
      asking('auto', { responseFormat: schema }),
    ];
    for (const request of kept) {
      assert.equal(ask({ request, refusals: [prose, prose] }).rung, 'nudged');
      assert.equal(ask({ request, policy: 'always' }).rung, 'native');
    }
    const both = ask({
      request: asking('required', { responseFormat: schema }),
      refusals: [prose],
    });
    assert.notDeepEqual(both.request.responseFormat, schema);
  });
});
