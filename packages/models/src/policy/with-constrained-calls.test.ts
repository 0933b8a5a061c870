import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSchema, textOf } from '@forge/core';
import type { CallOptions } from '../client/model-client.ts';
import { toClient } from '../client/model-client.ts';
import { collect, textReply } from '../client/test-server.test.ts';
import type { WireReply } from '../wire/wire.ts';
import { callFormat } from './call-schema.ts';
import type { ModelEvent } from './model-event.ts';
import { asking, refused, weather } from './policy-requests.test.ts';
import { type ConstrainPolicy, withConstrainedCalls } from './with-constrained-calls.ts';

const { signal } = new AbortController();

function constrained(policy: ConstrainPolicy, reply: WireReply) {
  const asked: { readonly tools: number; readonly options: CallOptions; system: string }[] = [];
  const events: ModelEvent[] = [];
  const client = toClient({
    id: 'm',
    async reply(request, options) {
      const [first] = request.messages;
      const system = first?.role === 'system' ? textOf(first) : '';
      asked.push({ tools: request.tools.length, options, system });
      for (const part of reply.content) {
        if (part.type === 'text' || part.type === 'reasoning') options.onDelta?.(part);
      }
      return reply;
    },
    async *stream() {
      yield { type: 'finish', finish: 'stop', extra: {} };
    },
    contextLength: async () => undefined,
  });
  const model = withConstrainedCalls(client, {
    policy,
    onEvent: (event) => events.push(event),
    newCallId: () => 'new',
  });
  return { model, asked, events };
}

const step = '{"next": {"name": "get_weather", "arguments": {"city": "Oslo"}}}';

describe('constrained calls', () => {
  it('come back as native calls', async () => {
    const { model, asked, events } = constrained('always', textReply(step));
    const shown: unknown[] = [];
    const reply = await model.complete(asking(), { signal, onDelta: (delta) => shown.push(delta) });
    assert.deepEqual(reply.content, [
      { type: 'tool_call', id: 'new', name: 'get_weather', args: { city: 'Oslo' } },
    ]);
    assert.equal(reply.finish, 'tool_calls');
    assert.deepEqual(shown, []);
    const format = asked[0]?.options.overrides?.responseFormat;
    assert.equal(format?.type === 'json_schema' && format.strict, true);
    assert.equal(asked[0]?.tools, 0);
    assert.match(asked[0]?.system ?? '', /## get_weather[\s\S]*city/);
    assert.deepEqual(events, [{ type: 'constrained', model: 'm', refusals: 0 }]);
  });

  it('come back as events of a stream', async () => {
    const { model } = constrained('always', textReply(step));
    const events = await collect(model.stream(asking(), { signal }));
    assert.deepEqual(
      events.map((event) => event.type),
      ['start', 'call', 'args', 'finish'],
    );
  });

  it('leave room for an answer, which is shown', async () => {
    const said = textReply('{"next": {"answer": "It is sunny."}}');
    const { model } = constrained('always', said);
    const shown: string[] = [];
    const onDelta = (delta: { text: string }) => shown.push(delta.text);
    const reply = await model.complete(asking(), { signal, onDelta });
    assert.deepEqual(reply.content, [{ type: 'text', text: 'It is sunny.' }]);
    assert.equal(reply.finish, 'stop');
    assert.deepEqual(shown, ['It is sunny.']);
  });

  it('keep reasoning, and leave what cannot be read to the guardrails', async () => {
    const thought = { type: 'reasoning' as const, text: 'hm' };
    const { content } = textReply(step);
    const thinking = constrained('always', { ...textReply(''), content: [thought, ...content] });
    const reply = await thinking.model.complete(asking(), { signal });
    assert.deepEqual(reply.content[0], thought);
    const cut = constrained('always', textReply('{"next": {"name": "get_'));
    assert.deepEqual((await cut.model.complete(asking(), { signal })).content, [
      { type: 'text', text: '{"next": {"name": "get_' },
    ]);
  });

  it('are not taken for granted: a server that answers in another shape is told of', async () => {
    const ignored = constrained('always', textReply('The weather is fine.'));
    const reply = await ignored.model.complete(asking(), { signal });
    assert.deepEqual(reply.content, [{ type: 'text', text: 'The weather is fine.' }]);
    assert.deepEqual(ignored.events.at(-1), { type: 'constraint_ignored', model: 'm' });
    const cut = constrained('always', { ...textReply('{"next": {"na'), finish: 'length' });
    await cut.model.complete(asking(), { signal });
    assert.deepEqual(
      cut.events.map(({ type }) => type),
      ['constrained'],
    );
  });

  it('begin after two refusals where they are the last rung', async () => {
    const { model, events } = constrained('on-retry', textReply(step));
    await model.complete(asking(), { signal });
    await model.complete(asking(...refused), { signal });
    assert.equal(events.length, 0);
    await model.complete(asking(...refused, ...refused), { signal });
    assert.deepEqual(events, [{ type: 'constrained', model: 'm', refusals: 2 }]);
  });

  it('are left alone when off, without tools, and where no call is wanted', async () => {
    for (const [policy, request] of [
      ['off', asking()],
      ['always', { ...asking(), tools: [] }],
      ['always', { ...asking(), toolChoice: 'none' as const }],
    ] as const) {
      const { model, asked } = constrained(policy, textReply(step));
      await model.complete(request, { signal });
      assert.equal(asked[0]?.options.overrides, undefined);
    }
  });
});

describe('the schema of a call', () => {
  const node = {
    name: 'add_node',
    description: '',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      required: ['root'],
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    },
  };

  function accepts(choice: Parameters<typeof callFormat>[1], value: unknown): boolean {
    const format = callFormat([weather, node], choice);
    assert.ok(format.type === 'json_schema');
    return compileSchema(format.schema).accepts(value);
  }

  it('takes calls of the tools and answers, and nothing else', () => {
    const right = { next: { name: 'get_weather', arguments: { city: 'Oslo' } } };
    assert.equal(accepts('auto', right), true);
    assert.equal(accepts('auto', { next: { answer: 'sunny' } }), true);
    assert.equal(accepts('required', { next: { answer: 'sunny' } }), false);
    assert.equal(accepts('auto', { next: { name: 'get_weather', arguments: {} } }), false);
    assert.equal(accepts('auto', { next: { name: 'other', arguments: {} } }), false);
    assert.equal(accepts({ tool: 'add_node' }, right), false);
  });

  it('keeps references into a tool’s own schema', () => {
    const tree = { root: { children: [{ children: [] }] } };
    assert.equal(accepts('auto', { next: { name: 'add_node', arguments: tree } }), true);
    const wrong = { root: { children: [7] } };
    assert.equal(accepts('auto', { next: { name: 'add_node', arguments: wrong } }), false);
  });

  it('is strict only where every tool is', () => {
    const strict = callFormat([weather], 'auto');
    const loose = callFormat([weather, node], 'auto');
    assert.equal(strict.type === 'json_schema' && strict.strict, true);
    assert.equal(loose.type === 'json_schema' && loose.strict, false);
  });
});
