import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rescueToolCalls, text, textOf, userMessage } from '@forge/core';
import { asking, assistant, call, result, weather } from './policy-requests.test.ts';
import { promptTools } from './prompt-tools.ts';
import { toolPrompt } from './tool-prompt.ts';

describe('tools in the prompt', () => {
  it('are described in the instructions and offered no other way', () => {
    const request = promptTools({
      ...asking(),
      messages: [{ role: 'system', content: [text('Be brief.')] }, ...asking().messages],
    });
    assert.deepEqual([request.tools, request.toolChoice], [[], 'auto']);
    const [system] = request.messages;
    assert.equal(system?.role, 'system');
    const said = textOf(system ?? userMessage(''));
    assert.match(said, /^Be brief\.\n\n# Tools/);
    assert.match(said, /## get_weather\n\nSays what the weather is like in a city\./);
    assert.match(said, /"required":\["city"\]/);
  });

  it('make instructions where there were none', () => {
    const [system, user] = promptTools(asking()).messages;
    assert.deepEqual([system?.role, user?.role], ['system', 'user']);
  });

  it('say what is asked for', () => {
    assert.match(toolPrompt([weather], 'auto'), /If no tool is needed, answer/);
    assert.match(toolPrompt([weather], 'required'), /must be a tool call/);
    assert.match(toolPrompt([weather], { tool: 'get_weather' }), /must be a call to get_weather/);
  });

  it('teach a form that the rescue reads', () => {
    const example = /<tool_call>[\s\S]*?<\/tool_call>/.exec(toolPrompt([weather], 'auto'))?.[0];
    const written = example?.replace('the_tool', 'get_weather').replace('an_argument', 'city');
    const { calls } = rescueToolCalls(written ?? '', [weather]);
    assert.deepEqual(
      calls.map(({ name, args }) => [name, args]),
      [['get_weather', { city: 'its value' }]],
    );
  });

  it('show earlier calls in the same form, and results as what the user side says', () => {
    const { messages } = promptTools(
      asking(assistant(text('Let me see. '), call()), result('sunny'), userMessage('Thanks!')),
    );
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    const [, , asked, answered] = messages;
    const { calls } = rescueToolCalls(textOf(asked ?? userMessage('')), [weather]);
    assert.deepEqual(calls[0]?.args, { city: 'Oslo' });
    const said = textOf(answered ?? userMessage(''));
    assert.equal(said, '<tool_response name="get_weather">\nsunny\n</tool_response>\nThanks!');
  });

  it('mark failed results, join parallel ones and keep their pictures', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', source: { data: 'AA' } };
    const { messages } = promptTools(
      asking(assistant(call('c1'), call('c2')), result('no', true, 'c1'), {
        role: 'tool',
        content: [{ type: 'tool_result', callId: 'c2', name: 'get_weather', content: [image] }],
      }),
    );
    const last = messages.at(-1);
    assert.equal(messages.length, 4);
    assert.match(textOf(last ?? userMessage('')), /name="get_weather" error="true">\nno/);
    assert.ok(last?.role === 'user' && last.content.some((part) => part.type === 'image'));
  });

  it('are not mentioned where no call is wanted', () => {
    const request = { ...asking(), toolChoice: 'none' as const };
    assert.deepEqual(promptTools(request).messages, request.messages);
  });

  it('change nothing in what they were given', () => {
    const request = asking(assistant(call()), result('sunny'), userMessage('Thanks!'));
    const before = structuredClone(request);
    promptTools(request);
    assert.deepEqual(request, before);
  });
});
