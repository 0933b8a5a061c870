import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rescueToolCalls } from './rescue-tool-calls.ts';

const tools = [
  {
    name: 'get_forecast',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
];

/** `{"city": "Oslo", "days": 3}`, as models damage it. */
const damaged: Record<string, string> = {
  clean: '{"city": "Oslo", "days": 3}',
  'trailing comma': '{"city": "Oslo", "days": 3,}',
  'single quotes': "{'city': 'Oslo', 'days': 3}",
  comment: '{"city": "Oslo", // x\n "days": 3}',
  'unquoted keys': '{city: "Oslo", days: 3}',
  barewords: '{city: Oslo, days: 3}',
  'smart quotes': '{“city”: “Oslo”, “days”: 3}',
  'full width': '{"city"："Oslo"，"days"：3}',
  'CR LF': '{\r\n  "city": "Oslo",\r\n  "days": 3\r\n}',
  'missing comma': '{"city": "Oslo" "days": 3}',
  'number in quotes': '{"city": "Oslo", "days": "3"}',
  'equals signs': '{"city"="Oslo", "days"=3}',
};

const named: Record<string, (args: string) => string> = {
  'name, arguments': (args) => `{"name": "get_forecast", "arguments": ${args}}`,
  'tool, args': (args) => `{"tool": "get_forecast", "args": ${args}}`,
  'function object': (args) =>
    `{"type": "function", "function": {"name": "get_forecast", "parameters": ${args}}}`,
  'arguments first': (args) => `{"arguments": ${args}, "name": "get_forecast"}`,
  'arguments in a string': (args) =>
    `{"name": "get_forecast", "arguments": ${JSON.stringify(args)}}`,
  'name as key': (args) => `{"get_forecast": ${args}}`,
};

const wholeCalls: Record<string, (call: string) => string> = {
  bare: (call) => call,
  hermes: (call) => `<tool_call>\n${call}\n</tool_call>`,
  fence: (call) => `\`\`\`json\n${call}\n\`\`\``,
  'fence in a tag': (call) => `<tool_call>\n\`\`\`json\n${call}\n\`\`\`\n</tool_call>`,
  'tag in a fence': (call) => `\`\`\`xml\n<tool_call>\n${call}\n</tool_call>\n\`\`\``,
  mistral: (call) => `[TOOL_CALLS] [${call}]`,
  'list in tags': (call) => `<tool_calls>[${call}]</tool_calls>`,
  llama: (call) => `<|python_tag|>${call}<|eom_id|>`,
  'lm studio': (call) => `[TOOL_REQUEST]\n${call}\n[END_TOOL_REQUEST]`,
  internlm: (call) => `<|action_start|><|plugin|>\n${call}<|action_end|>`,
  functools: (call) => `functools[${call}]`,
};

const argumentsOnly: Record<string, (args: string) => string> = {
  kimi: (args) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_forecast:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  harmony: (args) =>
    `<|channel|>commentary to=functions.get_forecast <|constrain|>json<|message|>${args}<|call|>`,
  'mistral args': (args) => `[TOOL_CALLS]get_forecast[ARGS]${args}`,
  'function tag': (args) => `<function=get_forecast>${args}</function>`,
  deepseek: (args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_forecast\n${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  react: (args) => `Action: get_forecast\nAction Input: ${args}\nObservation: 21`,
  functionary: (args) => `>>>get_forecast\n${args}`,
  'name above': (args) => `get_forecast\n${args}`,
  'name in a tag': (args) => `<tool_call name="get_forecast">${args}</tool_call>`,
  'tool_use tags': (args) =>
    `<tool_use><name>get_forecast</name><arguments>${args}</arguments></tool_use>`,
};

const before = ['', 'I will check.\n\n', '<think>\nhm {x} [y]\n</think>\n\n', 'hm\n</think>\n\n'];
const behind = ['', '<|im_end|>', '\n\n', '\nIt is 21 degrees.'];

function checkAll(render: (args: string) => string): void {
  for (const [damage, args] of Object.entries(damaged)) {
    for (const start of before) {
      for (const end of behind) {
        const text = `${start}${render(args)}${end}`;
        const { calls, content } = rescueToolCalls(text, tools);
        const found = calls.map((call) => call.args);
        assert.deepEqual(found, [{ city: 'Oslo', days: 3 }], `${damage}: ${text}`);
        assert.equal(content, start.startsWith('I will') ? 'I will check.' : '', text);
      }
    }
  }
}

describe('every damage in every format, with text around it', () => {
  for (const [outer, wrap] of Object.entries(wholeCalls)) {
    for (const [inner, name] of Object.entries(named)) {
      it(`${outer}, ${inner}`, () => checkAll((args) => wrap(name(args))));
    }
  }
  for (const [format, render] of Object.entries(argumentsOnly)) {
    it(format, () => checkAll(render));
  }
});
