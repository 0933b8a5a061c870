import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createGuard,
  externalTool,
  freshProgress,
  judgeReply,
  type Message,
  type ToolChoice,
  type ToolSpec,
  text,
  textOf,
  userMessage,
} from '@forge/core';
import type { WireReply, WireRequest } from '@forge/models';
import type { RefusedReply } from './ask.ts';
import { type ClimbOptions, climb } from './climb.ts';

const tools: readonly ToolSpec[] = [
  {
    name: 'get_weather',
    description: 'Get the weather in a city. Knows all cities.',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
  {
    name: 'setTimer',
    description: '',
    inputSchema: {
      type: 'object',
      properties: { waitMinutes: { type: 'integer' }, sound: { enum: ['bell', 'horn'] } },
      required: ['waitMinutes', 'sound'],
    },
  },
];

function asking(toolChoice: ToolChoice, more: Partial<WireRequest> = {}): WireRequest {
  const messages: Message[] = [
    { role: 'system', content: [text('Be brief.')] },
    userMessage('Wake me in 45 minutes.'),
  ];
  const settings = { temperature: 0 };
  const asked = { model: 'm', messages, tools, toolChoice, settings, stream: false, extra: {} };
  return { ...asked, ...more };
}

function textReply(said: string): WireReply {
  return { content: [text(said)], finish: 'stop', extra: {} };
}

/** What the guardrails make of a reply. */
function judge(reply: WireReply, toolChoice: ToolChoice = 'required') {
  const guard = createGuard({ tools: tools.map((tool) => externalTool(tool)), toolChoice });
  return judgeReply(guard, freshProgress, reply, 'turn');
}

function refusal(reply: WireReply, toolChoice: ToolChoice = 'required'): RefusedReply {
  const verdict = judge(reply, toolChoice);
  assert.ok(verdict.kind === 'retry');
  return verdict;
}

const prose = refusal(textReply('Sure, I will wake you.'));
const called: WireReply = {
  content: [{ type: 'tool_call', id: 'c1', name: 'get_weather', args: {} }],
  finish: 'tool_calls',
  extra: {},
};
const badArguments = refusal(called);

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
