import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rescueToolCalls } from './rescue-tool-calls.ts';

const tools = [
  { name: 'ping', parameters: { type: 'object', properties: { host: { type: 'string' } } } },
];
const json = '{"name": "ping", "arguments": {"host": "a"}}';
const fenced = `\`\`\`json\n${json}\n\`\`\``;
const tagged = `<tool_call>${json}</tool_call>`;

const shown = [
  `For example:\n${fenced}`,
  `Here is how to call it:\n${fenced}\nThe host is a name.`,
  `You can call it with:\n${fenced}`,
  `A call:\n${fenced}\nReplace a with your host.`,
  `To call a tool, write ${tagged} and wait.`,
  `You would write ${json} for that.`,
  `An example: ${json}`,
  `An example of a call is\n\`\`\`python\nping(host="a")\n\`\`\``,
];

const made = [
  `I'll ping it:\n${fenced}`,
  `Let me check, so that you can go on.\n${fenced}`,
  `I will call the tool now, as in the example:\n${tagged}`.replace(', as in the example', ''),
  `The function call is:\n${fenced}\nThis returns the time.`,
  `You should know soon.\n\n${json}`,
  `You can wait for it.\n${tagged}`,
  `For example.\n${tagged}`,
  `Example.[TOOL_CALLS]ping[ARGS]{"host": "a"}`,
  fenced,
  tagged,
];

describe('a call in a reply that explains', () => {
  for (const text of shown) {
    it(`is shown: ${JSON.stringify(text)}`, () => {
      const { calls, rejected, content } = rescueToolCalls(text, tools);
      assert.deepEqual(calls, []);
      assert.deepEqual(rejected, [{ name: 'ping', reason: 'inside an explanation' }]);
      assert.equal(content, text);
    });
  }

  for (const text of made) {
    it(`is made: ${JSON.stringify(text)}`, () => {
      assert.equal(rescueToolCalls(text, tools).calls.length, 1);
    });
  }
});
