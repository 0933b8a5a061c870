import type { AssistantPart, ModelReply, ToolCallPart } from '@forge/core';
import { argumentsText, readArguments, withArguments } from './call-arguments.ts';
import { callFormats, type PlainCall } from './call-formats.ts';
import { isCall, type MakeMistake } from './mistake.ts';

export const callAsText: MakeMistake = ({ reply, random }) => {
  const calls: PlainCall[] = [];
  for (const part of reply.content) {
    if (!isCall(part)) continue;
    const args = readArguments(part);
    if (args === undefined) return undefined;
    calls.push({ name: part.name, args });
  }
  if (calls.length === 0) return undefined;
  const format = random.pick(callFormats);
  const text = calls.map((call) => format.write(call)).join('\n');
  return { reply: instead(reply, text), note: `written as text (${format.name})` };
};

export const prose: MakeMistake = ({ reply, random }) => {
  const [call] = reply.content.filter(isCall);
  if (call === undefined) return undefined;
  const text = random.pick([
    `I will call ${call.name} now.`,
    `Let me use the ${call.name} tool to find that out. One moment, please!`,
    `To do this, you should call ${call.name} with the right arguments.`,
    'Done! I have taken care of everything you asked for.',
  ]);
  return { reply: instead(reply, text), note: `talked about ${call.name} instead of calling it` };
};

export const empty: MakeMistake = ({ reply }) => {
  if (reply.content.length === 0) return undefined;
  return { reply: { ...reply, content: [], finish: 'stop' }, note: 'said nothing' };
};

export const truncated: MakeMistake = ({ reply, random }) => {
  const last = reply.content.at(-1);
  const whole = last && textIn(last);
  if (last === undefined || whole === undefined || whole.length < 2) return undefined;
  const length = 1 + random.below(whole.length - 1);
  const part = cut(last, whole.slice(0, length));
  const content = [...reply.content.slice(0, -1), part];
  const note = `cut off after ${length} of ${whole.length} characters`;
  return { reply: { ...reply, content, finish: 'length' }, note };
};

export const repeated: MakeMistake = ({ reply, request }) => {
  const before = request.messages.findLast(
    (message) => message.role === 'assistant' && message.content.some(isCall),
  );
  if (before?.role !== 'assistant') return undefined;
  const calls = before.content
    .filter(isCall)
    .map((call, at) => ({ ...call, id: `again_${at}_${call.id}` }));
  const note = `called ${calls.map((call) => call.name).join(', ')} once more`;
  return { reply: { ...reply, content: calls, finish: 'tool_calls' }, note };
};

export const reasoningLeak: MakeMistake = ({ reply, random }) => {
  const thought = reply.content.flatMap((part) => (part.type === 'reasoning' ? part.text : []));
  const text =
    thought.join('\n') || 'The user wants this done. Let me think about it step by step.';
  const [open, close] = random.pick([
    ['<think>\n', '\n</think>\n\n'],
    ['', '\n</think>\n\n'],
    ['<thinking>', '</thinking>\n'],
    ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    ['[THINK]', '[/THINK]'],
  ]);
  const rest = reply.content.filter((part) => part.type !== 'reasoning');
  const content: AssistantPart[] = [{ type: 'text', text: `${open}${text}${close}` }, ...rest];
  return { reply: { ...reply, content }, note: `thoughts in the text (${(open || close).trim()})` };
};

/** The reply with this text in the place of its calls. */
function instead(reply: ModelReply, text: string): ModelReply {
  const others = reply.content.filter((part) => !isCall(part));
  return { ...reply, content: [...others, { type: 'text', text }], finish: 'stop' };
}

function textIn(part: AssistantPart): string | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool_call':
      return argumentsText(part);
    case 'opaque':
      return undefined;
    default:
      return part satisfies never;
  }
}

function cut(part: AssistantPart, text: string): AssistantPart {
  switch (part.type) {
    case 'text':
      return { ...part, text };
    case 'reasoning': {
      // A proof comes at the end of what it proves.
      const { signature: _, ...rest } = part;
      return { ...rest, text };
    }
    case 'tool_call':
      return withArguments(part satisfies ToolCallPart, text);
    case 'opaque':
      return part;
    default:
      return part satisfies never;
  }
}
