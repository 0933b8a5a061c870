import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue, Message } from '@forge/core';
import fc from 'fast-check';
import { fillPlaceholders } from './fill-placeholders.ts';
import { readConversation } from './read-conversation.ts';

const messages: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: '{"commit": "abc", "tasks": [{"id": "a"}]}' }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId: '1',
        name: 'deploy',
        content: [{ type: 'text', text: '{"url": "http://127.0.0.1:1", "port": 1}' }],
      },
      { type: 'tool_result', callId: '2', name: 'say', content: [{ type: 'text', text: 'hello' }] },
    ],
  },
];
const heard = readConversation({ messages, tools: [], toolChoice: 'auto' });
const fill = (value: JsonValue) =>
  fillPlaceholders(value, heard, (name) => {
    throw new Error(`missing ${name}`);
  });

describe('placeholders of a script', () => {
  it('are filled from the input and the last result of a tool', () => {
    assert.equal(fill('at {{input.commit}}'), 'at abc');
    assert.equal(fill('{{ input.tasks.0.id }}'), 'a');
    assert.equal(fill('{{result.deploy.url}}/health'), 'http://127.0.0.1:1/health');
    assert.equal(fill('{{result.say}}!'), 'hello!');
  });

  it('alone become the value itself', () => {
    assert.equal(fill('{{result.deploy.port}}'), 1);
    assert.deepEqual(fill({ list: ['{{input.tasks}}'] }), { list: [[{ id: 'a' }]] });
    assert.equal(fill('tasks: {{input.tasks}}'), 'tasks: [{"id":"a"}]');
  });

  it('that nothing is there for are told', () => {
    for (const name of ['input.nothing', 'result.nobody', 'result.say.url', 'input.__proto__']) {
      assert.throws(() => fill(`{{${name}}}`), { message: `missing ${name}` });
    }
  });

  it('are only those: other braces stay', () => {
    for (const text of ['{{name}}', '{{inputs.a}}', '{{{}}}']) {
      assert.equal(fill(text), text);
    }
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value) ?? 'null';
        fc.pre(!json.includes('{{'));
        assert.deepEqual(fill(JSON.parse(json)), JSON.parse(json));
      }),
    );
  });
});
