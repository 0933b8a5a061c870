import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '@forge/core';
import { textReply } from '../client/test-server.test.ts';
import { constrainRequest, keepsShape, readConstrained } from './constrained-call.ts';
import { asking, assistant, call, result } from './policy-requests.test.ts';

const newCallId = () => 'new';

describe('constrainRequest', () => {
  it('describes the tools in the prompt and asks for the shape of a call', () => {
    const { request, responseFormat } = constrainRequest({ ...asking(), toolChoice: 'required' });
    assert.deepEqual(request.tools, []);
    assert.equal(request.toolChoice, 'auto');
    const [system] = request.messages;
    assert.ok(system?.role === 'system');
    assert.match(textOf(system), /## get_weather\n.*\n- city \(string\)/);
    assert.doesNotMatch(textOf(system), /answer instead/);
    assert.equal(responseFormat.type, 'json_schema');
  });

  it('writes earlier calls in the form that is asked for', () => {
    const { request } = constrainRequest(asking(assistant(call()), result('sunny')));
    const said = request.messages.find(({ role }) => role === 'assistant');
    assert.ok(said?.role === 'assistant');
    const written = readConstrained({ ...textReply(''), content: said.content }, newCallId);
    assert.deepEqual(written.content, [call('new')]);
  });
});

describe('readConstrained', () => {
  it('reads a call, an answer, and leaves the rest as it came', () => {
    const read = (text: string) => readConstrained(textReply(text), newCallId);
    const called = read('{"next": {"name": "get_weather", "arguments": {"city": "Oslo"}}}');
    assert.deepEqual(called.content, [call('new')]);
    assert.equal(called.finish, 'tool_calls');
    assert.deepEqual(read('{"next": {"answer": "Sunny."}}').content, [
      { type: 'text', text: 'Sunny.' },
    ]);
    for (const odd of ['', 'Sunny.', '[]', '{"next": 1}', '{"next": {}}', '{"next": {"name"']) {
      assert.equal(textOf(read(odd)), odd);
    }
  });
});

it('keepsShape tells a server that ignored the schema from one that was cut off', () => {
  assert.equal(keepsShape(textReply('{"next": {"na')), true);
  assert.equal(keepsShape(textReply('')), true);
  assert.equal(keepsShape(textReply('It is sunny.')), false);
});
