import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRescueStream } from './rescue-stream.ts';
import { rescueToolCalls } from './rescue-tool-calls.ts';
import { toolIndex } from './tool-index.ts';
import { walk } from './walk.ts';

const tools = [
  { name: 'ping', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
  { name: 'log' },
];

const hostile: Record<string, (n: number) => string> = {
  braces: (n) => '{'.repeat(20 * n),
  brackets: (n) => '['.repeat(100 * n),
  'deep nesting': (n) => '{"a":['.repeat(25 * n),
  'unclosed keys': (n) => '{"a":'.repeat(20 * n),
  'arguments in strings': (n) => '{"name":"x","arguments":"{'.repeat(5 * n),
  'known names in strings': (n) => '{"name":"ping","arguments":"{'.repeat(5 * n),
  rehearsals: (n) => 'a[ARGS]{'.repeat(4 * n),
  'rehearsals of a tool': (n) => 'ping[ARGS]{'.repeat(4 * n),
  thoughts: (n) => '<think>'.repeat(3 * n),
  'ends of thoughts': (n) => 'a</think>'.repeat(3 * n),
  openers: (n) => '<tool_call>'.repeat(20 * n),
  'cut calls': (n) => '<tool_call>{"name":"ping","arguments":{"a":"x</tool_call>'.repeat(3 * n),
  'forgotten quotes': (n) => '<tool_call>{"a":"x</tool_call>'.repeat(4 * n),
  'forgotten quotes in Python': (n) => '[ping(a="x</tool_call>'.repeat(4 * n),
  fences: (n) => '```'.repeat(20 * n),
  'python calls': (n) => 'name('.repeat(20 * n),
  'python calls of a tool': (n) => 'ping(\n'.repeat(20 * n),
  backslashes: (n) => `{"a": "${'\\'.repeat(500 * n)}`,
  quotes: (n) => `{"a": ${'"'.repeat(500 * n)}`,
  apostrophes: (n) => `{'a': ${"' ".repeat(200 * n)}`,
  'triple quotes': (n) => '{"a":"""'.repeat(8 * n),
  comments: (n) => '{/*'.repeat(30 * n),
  parameters: (n) => '<function=ping><parameter=a>'.repeat(4 * n),
  results: (n) => '<tool_response>'.repeat(5 * n),
  channels: (n) => '<|channel|>analysis<|message|>'.repeat(4 * n),
  actions: (n) => 'Action: ping\nAction Input: {\n'.repeat(4 * n),
  'nested parameters': (n) => '<function=ping><parameter=a><parameter=a></parameter>'.repeat(2 * n),
  'parameters that do not pair up': (n) => '<parameter=b><parameter=a></parameter>'.repeat(3 * n),
  'a call of parameters that do not pair up': (n) =>
    `<function=ping>${'<parameter=b><parameter=a></parameter>'.repeat(3 * n)}`,
  'the same without a schema': (n) =>
    `<function=log>${'<parameter=b><parameter=a></parameter>'.repeat(3 * n)}`,
  'tags without a schema': (n) => `<invoke name="log">${'<a>'.repeat(20 * n)}`,
  'keys without a start': (n) => `<tool_call>${'a</arg_key>'.repeat(8 * n)}`,
  'values without a start': (n) =>
    `<tool_call>ping${'<arg_key>a</arg_key>b</arg_value>'.repeat(3 * n)}`,
  'names before a marker': (n) => 'ping[TOOL_CALLS]{'.repeat(5 * n),
  'calls that are said': (n) => '. Calling ping with {"a": '.repeat(4 * n),
  'word quotes': (n) => '{a:<|"|>}<tool_call|>'.repeat(5 * n),
  'double quotes': (n) => `{a:'b'<|"|>`.repeat(8 * n),
  recipients: (n) => '<|start|>assistant to=ping<|channel|>'.repeat(3 * n),
  turns: (n) => '<|turn>model<|im_assistant|>'.repeat(4 * n),
  arrows: (n) => '>>>all\n'.repeat(15 * n),
  'inputs in brackets': (n) => 'Action: ping[[[\n'.repeat(6 * n),
  'half tags': (n) => '<a b="'.repeat(20 * n),
};

describe('the work for a text', () => {
  for (const [name, build] of Object.entries(hostile)) {
    it(`is linear in ${name}`, () => {
      const index = toolIndex(tools);
      for (const n of [100, 1000]) {
        const text = build(n);
        const { work } = walk(text, index);
        assert.ok(
          work <= 24 * text.length + 16_384,
          `looked at ${work} of ${text.length} characters`,
        );
      }
    });
  }

  it('ends for long texts, whole and streamed', () => {
    for (const unit of ['{"a":', '\\', '"', '<tool_call>{"name":"ping"', '[', 'x ']) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      rescueToolCalls(text, tools);
      const stream = createRescueStream(tools);
      for (let at = 0; at < text.length; at += 1000) stream.push(text.slice(at, at + 1000));
      stream.end();
    }
  });
});
