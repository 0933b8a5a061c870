import assert from 'node:assert/strict';
import {
  createGuard,
  externalTool,
  freshProgress,
  judgeReply,
  type Message,
  type ToolChoice,
  type ToolSpec,
  text,
  userMessage,
} from '@forge/core';
import type { WireReply, WireRequest } from '@forge/models';

export const tools: readonly ToolSpec[] = [
  {
    name: 'get_weather',
    description: 'Get the weather in a city. Knows all cities.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
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

export const conversation: readonly Message[] = [
  { role: 'system', content: [text('Be brief.')] },
  userMessage('Wake me in 45 minutes.'),
];

/** A request of a client that has both tools. */
export function asking(toolChoice: ToolChoice, more: Partial<WireRequest> = {}): WireRequest {
  const settings = { temperature: 0 };
  const asked = { model: 'm', messages: conversation, tools, toolChoice, settings };
  return { ...asked, stream: false, extra: {}, ...more };
}

export function textReply(said: string): WireReply {
  return { content: [text(said)], finish: 'stop', extra: {} };
}

const guard = createGuard({
  tools: tools.map((tool) => externalTool(tool)),
  toolChoice: 'required',
});

/** What the guardrails make of a reply where only a call will do. */
export function judge(reply: WireReply) {
  return judgeReply(guard, freshProgress, reply, 'turn');
}

export function refusalOf(reply: WireReply) {
  const verdict = judge(reply);
  assert.ok(verdict.kind === 'retry');
  return verdict;
}
