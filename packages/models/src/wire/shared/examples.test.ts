import type { JsonObject, Message } from '@forge/core';
import type { StreamEvent, Wire, WireReply, WireRequest } from '../wire.ts';

/** A conversation with everything in it that more than one wire can say. */
const messages: Message[] = [
  { role: 'system', content: [{ type: 'text', text: 'Be brief, said the system.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is in the picture?' },
      { type: 'image', mediaType: 'image/png', source: { data: 'iVBORw0KGgo=' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Two tools will do.' },
      { type: 'text', text: 'Let me look at both.' },
      { type: 'tool_call', id: 'call_a', name: 'look', args: { at: 'left', depth: 2 } },
      { type: 'tool_call', id: 'call_b', name: 'weigh', args: '{"what":"cat"}' },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId: 'call_a',
        name: 'look',
        content: [{ type: 'text', text: 'A cat on the left.' }],
      },
      {
        type: 'tool_result',
        callId: 'call_b',
        name: 'weigh',
        content: [{ type: 'text', text: 'The scales are broken.' }],
        isError: true,
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'A cat, of unknown weight.' }] },
  { role: 'user', content: [{ type: 'text', text: 'Weigh it again.' }] },
];

export const richRequest: WireRequest = {
  model: 'some-model-1',
  messages,
  tools: [
    {
      name: 'look',
      description: 'Looks somewhere.',
      inputSchema: {
        type: 'object',
        properties: { at: { type: 'string' }, depth: { type: 'integer' } },
        required: ['at'],
      },
    },
    {
      name: 'weigh',
      description: 'Weighs something.',
      inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
    },
  ],
  toolChoice: 'auto',
  settings: { temperature: 0.5, topP: 0.9, maxTokens: 256 },
  stream: true,
  extra: {},
};

export const richReply: WireReply = {
  id: 'reply_1',
  model: 'some-model-1',
  content: [
    { type: 'reasoning', text: 'Once more.' },
    { type: 'text', text: 'I will weigh it.' },
    { type: 'tool_call', id: 'call_c', name: 'weigh', args: '{"what":"cat"}' },
    { type: 'tool_call', id: 'call_d', name: 'look', args: '{"at":"scales"}' },
  ],
  finish: 'tool_calls',
  usage: { inputTokens: 100, outputTokens: 20 },
  extra: {},
};

export const richStream: StreamEvent[] = [
  { type: 'start', id: 'reply_1', model: 'some-model-1', extra: {} },
  { type: 'reasoning', text: 'Once ' },
  { type: 'reasoning', text: 'more.' },
  { type: 'text', text: 'I will ' },
  { type: 'text', text: 'weigh it. ⚖️' },
  { type: 'call', index: 0, id: 'call_c', name: 'weigh' },
  { type: 'args', index: 0, text: '{"what":' },
  { type: 'args', index: 0, text: '"cat"}' },
  { type: 'call', index: 1, id: 'call_d', name: 'look' },
  { type: 'args', index: 1, text: '{"at":"scales"}' },
  {
    type: 'finish',
    finish: 'tool_calls',
    usage: { inputTokens: 100, outputTokens: 20 },
    extra: {},
  },
];

/** Every private text in the replies below has this in it. */
export const secret = 'PRIVATE';

/** A reply of each wire that is full of what only that wire understands. */
export const privateReplies: Readonly<Record<Wire['name'], JsonObject>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Hello',
          reasoning_content: 'Hm.',
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'PRIVATE-details' }],
          annotations: [{ type: 'url_citation', url: 'PRIVATE-annotation' }],
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'look', arguments: '{"at":"left"}' },
              extra_content: { google: { thought_signature: 'PRIVATE-call' } },
            },
          ],
        },
      },
    ],
  },
  'openai-responses': {
    id: 'resp_1',
    status: 'completed',
    output: [
      {
        type: 'reasoning',
        id: 'rs_PRIVATE',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'PRIVATE-proof',
      },
      { type: 'web_search_call', id: 'ws_PRIVATE', status: 'completed' },
      {
        type: 'message',
        id: 'msg_PRIVATE',
        role: 'assistant',
        phase: 'PRIVATE-phase',
        status: 'completed',
        content: [
          {
            type: 'output_text',
            text: 'Hello',
            annotations: [{ type: 'url_citation', url: 'PRIVATE-annotation' }],
          },
        ],
      },
      {
        type: 'function_call',
        id: 'fc_PRIVATE',
        call_id: 'call_1',
        name: 'look',
        arguments: '{"at":"left"}',
        status: 'completed',
      },
    ],
  },
  'anthropic-messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'PRIVATE-proof' },
      { type: 'redacted_thinking', data: 'PRIVATE-sealed' },
      { type: 'text', text: 'Hello', citations: [{ type: 'PRIVATE-citation' }] },
      {
        type: 'tool_use',
        id: 'call_1',
        name: 'look',
        input: { at: 'left' },
        caller: { type: 'PRIVATE-caller' },
      },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  gemini: {
    responseId: 'r1',
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true, thoughtSignature: 'PRIVATE-proof' },
            { executableCode: { language: 'PYTHON', code: 'PRIVATE-code' } },
            { text: 'Hello', thoughtSignature: 'PRIVATE-words' },
            {
              functionCall: { id: 'call_1', name: 'look', args: { at: 'left' } },
              thoughtSignature: 'PRIVATE-call',
            },
          ],
        },
      },
    ],
  },
  ollama: {
    model: 'm',
    done: true,
    done_reason: 'stop',
    message: {
      role: 'assistant',
      content: 'Hello',
      thinking: 'Hm.',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          trace: 'PRIVATE-call',
          function: { name: 'look', arguments: { at: 'left' }, note: 'PRIVATE-note' },
        },
      ],
    },
  },
};
