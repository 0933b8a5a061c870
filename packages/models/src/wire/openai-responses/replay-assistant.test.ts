import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantPart, JsonObject } from '@forge/core';
import { createOpenaiResponses } from './index.ts';
import { replayAssistant } from './replay-assistant.ts';
import { sealReasoning } from './sealed-reasoning.ts';

const wire = createOpenaiResponses({ newId: () => 'x', now: () => 0 });

const output: JsonObject[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    status: 'completed',
    call_id: 'call_1',
    name: 'f',
    arguments: '{}',
  },
];

function parts(): AssistantPart[] {
  return [...wire.decodeReply({ output }).content];
}

test('a turn goes back as it came', () => {
  assert.deepEqual(replayAssistant(parts()), output);
});

test('without its reasoning, what was written after it goes without its id', () => {
  const rest = parts().filter((part) => part.type !== 'reasoning');
  assert.deepEqual(replayAssistant(rest), [
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
  ]);
});

test('ids that never depended on reasoning stay', () => {
  const items = output.slice(1);
  assert.deepEqual(replayAssistant([...wire.decodeReply({ output: items }).content]), items);
});

test('reasoning whose text was changed keeps its id and becomes one summary', () => {
  const changed = parts().map((part) =>
    part.type === 'reasoning' ? { ...part, text: 'Shorter' } : part,
  );
  assert.deepEqual(replayAssistant(changed)[0], {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Shorter' }],
  });
});

test('reasoning of other providers is not sent, signed or not', () => {
  assert.deepEqual(
    replayAssistant([
      { type: 'reasoning', text: 'mine', signature: 'EqQBCgIYAhIM' },
      { type: 'reasoning', text: 'also mine' },
      { type: 'opaque', wire: 'anthropic-messages', value: { type: 'redacted_thinking' } },
    ]),
    [],
  );
});

test('streamed reasoning without a proof is left out where its id would stand alone', () => {
  const signature = sealReasoning({ shape: { id: 'rs_1', summary: [2] } });
  const streamed: AssistantPart[] = [
    { type: 'reasoning', text: 'Hm', signature },
    { type: 'text', text: 'Hi' },
  ];
  assert.deepEqual(
    replayAssistant(streamed).map((item) => item.type),
    ['message'],
  );
});

test('the JSON text of arguments wins over their value', () => {
  const [item] = replayAssistant([
    {
      type: 'tool_call',
      id: 'c',
      name: 'f',
      args: { n: 9007199254740992 },
      argsText: '{"n":9007199254740993}',
    },
  ]);
  assert.equal(item?.arguments, '{"n":9007199254740993}');
});

test('reasoning survives a client between our encoder and decoder', () => {
  const decoder = wire.createStreamDecoder();
  const encoder = wire.createStreamEncoder();
  const [reasoning, , call] = output;
  const frames = [
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...reasoning, encrypted_content: 'proof' },
    },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.completed', response: { status: 'completed' } },
  ];
  const shown = frames
    .flatMap((frame) => decoder.push({ data: JSON.stringify(frame) }))
    .flatMap((event) => encoder.push(event));
  // The client keeps the items it was shown and sends them with its next request.
  const input: unknown = JSON.parse(shown.at(-1)?.data ?? '').response.output;
  const sent = wire.encodeRequest(wire.decodeRequest({ model: 'm', input })).input;
  assert.deepEqual(sent, [{ ...reasoning, encrypted_content: 'proof' }, call]);
});
