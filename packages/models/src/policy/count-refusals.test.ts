import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGuard, defineTool, freshProgress, judgeReply, text, userMessage } from '@forge/core';
import * as z from 'zod';
import { countRefusals } from './count-refusals.ts';
import { asking, assistant, call, refused, result } from './policy-requests.test.ts';

describe('refusals in a row', () => {
  it('are none in a fresh conversation or after a result', () => {
    assert.equal(countRefusals(asking().messages), 0);
    assert.equal(countRefusals(asking(assistant(call()), result('sunny')).messages), 0);
    assert.equal(countRefusals([]), 0);
  });

  it('are counted on the tool channel and in user messages', () => {
    const spoken = [assistant(text('hm')), userMessage('[NoToolCall] That was text, but …')];
    assert.equal(countRefusals(asking(...refused).messages), 1);
    assert.equal(countRefusals(asking(...refused, ...spoken, ...refused).messages), 3);
  });

  it('count a reply with several refused calls once', () => {
    const both = [
      assistant(call('c1'), call('c2')),
      result('[UnknownTool] There is no tool', true, 'c1'),
      result('[NotRun] get_weather was not run', true, 'c2'),
    ];
    assert.equal(countRefusals(asking(...both).messages), 1);
  });

  it('end at a reply that was accepted', () => {
    const accepted = [assistant(call()), result('sunny')];
    assert.equal(countRefusals(asking(...refused, ...accepted, ...refused).messages), 1);
    assert.equal(countRefusals(asking(...refused, ...accepted).messages), 0);
  });

  it('are not the failures of tools, nor what users write in brackets', () => {
    const failed = [assistant(call()), result('[ToolError] Error: no network', true)];
    const quoted = [assistant(text('ok')), userMessage('[Draft] please go on')];
    assert.equal(countRefusals(asking(...failed).messages), 0);
    assert.equal(countRefusals(asking(...quoted).messages), 0);
  });

  it('are recognised as the kernel writes them', () => {
    const tool = defineTool({
      name: 'get_weather',
      description: 'Weather.',
      input: z.object({ city: z.string() }),
      run: () => 'sunny',
    });
    const guard = createGuard({ tools: [tool], toolChoice: 'required' });
    const replies = [
      [{ type: 'tool_call' as const, id: 'c1', name: 'get_weather', args: {} }],
      [{ type: 'tool_call' as const, id: 'c1', name: 'weather', args: {} }],
      [text('It is sunny.')],
      [],
    ];
    for (const content of replies) {
      const verdict = judgeReply(guard, freshProgress, { content, finish: 'stop' }, 'x');
      assert.ok(verdict.kind === 'retry', verdict.kind);
      const messages = [userMessage('go'), verdict.message, ...verdict.nudges];
      assert.equal(countRefusals(messages), 1, JSON.stringify(verdict.nudges));
    }
  });
});
