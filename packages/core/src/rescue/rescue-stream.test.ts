import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRescueStream } from './rescue-stream.ts';
import type { RescueTool } from './rescue-tool-calls.ts';

const tools: readonly RescueTool[] = [{ name: 'get_forecast' }, { name: 'ping' }];

/** What had come out after each character. */
function follow(text: string): { content: string[]; reasoning: string } {
  const stream = createRescueStream(tools);
  const content: string[] = [];
  let reasoning = '';
  for (const character of text) {
    const delta = stream.push(character);
    content.push((content.at(-1) ?? '') + delta.content);
    reasoning += delta.reasoning;
  }
  return { content, reasoning };
}

describe('createRescueStream', () => {
  it('lets ordinary text through with little delay', () => {
    const text =
      'Hello there! Here `a < b` and x[1] hold: see [docs](http://x.y) (or ping me) and {x}.\n\n' +
      '```js\nconst a = {b: 1};\nif (a < 2) { f(); }\n```\n' +
      '```python\nimport os\nprint(os.name)\n```\n- item: one\n- get well soon\n> quote\n1. Action man: yes.';
    const { content } = follow(text);
    content.forEach((out, at) => {
      const held = text.slice(0, at + 1).trimEnd().length - out.length;
      assert.ok(
        held <= 30,
        `${held} characters held back at ${JSON.stringify(text.slice(at - 20, at + 1))}`,
      );
    });
    assert.equal(content.at(-1), text);
  });

  it('lets nothing of a call out', () => {
    const calls = [
      'Sure. <tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>',
      'Sure. [TOOL_CALLS]ping[ARGS]{}',
      'Sure. ping[ARGS]{}',
      'Sure. {"name": "ping", "arguments": {}}',
      'Sure.\n```json\n{"name": "ping", "arguments": {}}\n```',
      'Sure.\nAction: ping\nAction Input: {}',
      'Sure.\nping()',
      'Sure.\nx = ping()',
      'Sure. [ping()]',
      'Sure. <|tool_calls_section_begin|><|tool_call_begin|>functions.ping:0',
      'Sure. <tool_ca',
    ];
    for (const text of calls) assert.equal(follow(text).content.at(-1), 'Sure.', text);
  });

  it('says how much it holds back', () => {
    const stream = createRescueStream(tools);
    assert.equal(stream.push('So it is. ').held, 0);
    assert.ok(stream.push('a <').held > 0);
    assert.equal(stream.push(' b, and so on.').held, 0);
    assert.equal(stream.push(`${'x'.repeat(5_000)}\n<tool_call>`).held, '<tool_call>'.length);
    const more = '{"name": "ping", "arguments": {}}</tool_call>';
    assert.equal(stream.push(more).held, '<tool_call>'.length + more.length);
  });

  it('gives out reasoning as it comes', () => {
    const { content, reasoning } = follow('<think>\nso a < b\n</think>\n\nHello.');
    assert.equal(reasoning, 'so a < b');
    assert.equal(content.at(-1), 'Hello.');
    const harmony =
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello.';
    const gpt = follow(harmony);
    assert.deepEqual([gpt.reasoning, gpt.content.at(-1)], ['hm', 'Hello.']);
  });

  it('lets data through once it is known to be data', () => {
    const text = 'Config: {"name": "my-app", "version": 1} and [{"a": 1}].';
    assert.equal(follow(text).content.at(-1), text);
  });

  it('gives the final result at the end', () => {
    const stream = createRescueStream(tools);
    assert.equal(stream.push('Hi. <tool').content, 'Hi.');
    assert.equal(stream.push('_call>{"name": "ping"}</tool_call>').content, '');
    const { calls, content } = stream.end();
    assert.deepEqual([calls.map((call) => call.name), content], [['ping'], 'Hi.']);
  });

  it('cannot take back text before an end of thinking that nothing opened, but knows in the end', () => {
    const stream = createRescueStream(tools);
    assert.equal(stream.push('plan it').content, 'plan it');
    stream.push('</think>Hello');
    const { content, reasoning } = stream.end();
    assert.deepEqual([content, reasoning], ['Hello', 'plan it']);
  });
});
