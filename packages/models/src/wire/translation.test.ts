import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AssistantPart, type JsonObject, type Message, pairingViolations } from '@forge/core';
import { assembleReply } from './assemble-reply.ts';
import { eventsOfReply } from './events-of-reply.ts';
import { wires } from './index.ts';
import { privateReplies, richRequest, secret } from './shared/examples.test.ts';
import { factsOf } from './shared/facts.test.ts';
import { sent } from './shared/loopback.test.ts';
import type { Wire, WireReply, WireRequest } from './wire.ts';

/** What happens to a conversation that comes on one wire and goes on by another. */

const rulesOf = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gemini',
  ollama: 'openai',
} as const;

const all = Object.values(wires);
const pairs = all.flatMap((from) => all.map((to) => ({ from, to })));
const strangers = pairs.filter(({ from, to }) => from !== to);
/** Wires that have a place for the proof of a thought. */
const signing: readonly Wire['name'][] = ['openai-responses', 'anthropic-messages', 'gemini'];

for (const { from, to } of pairs) {
  test(`a conversation that came by ${from.name} goes out by ${to.name}, whole and in order`, () => {
    const came = from.decodeRequest(sent(from.encodeRequest(richRequest)), { model: 'm-1' });
    const body = sent(to.encodeRequest({ ...came, extra: {} }));
    const { messages } = to.decodeRequest(body, { model: 'm-1' });
    assert.deepEqual(pairingViolations(rulesOf[to.name], messages), []);
    assert.deepEqual(factsOf(messages), factsOf(richRequest.messages));
  });
}

for (const { from, to } of strangers) {
  test(`${to.name} is sent nothing that only ${from.name} understands`, () => {
    const replies = [whole(from), streamed(from)];
    for (const content of replies) {
      assert.ok(JSON.stringify(content).includes(secret));
      const body = JSON.stringify(to.encodeRequest(historyWith(content)));
      assert.ok(!body.includes(secret), body);
      assert.ok(body.includes('Hello') && body.includes('call_1'));
    }
  });
}

for (const wire of all) {
  test(`${wire.name} is sent again all that it alone understands`, () => {
    const given = secretsIn(privateReplies[wire.name]);
    for (const content of [whole(wire), streamed(wire)]) {
      const body = wire.encodeRequest(historyWith(content));
      assert.deepEqual(secretsIn(body), given);
    }
  });

  test(`${wire.name} takes a signature that says nothing of its maker for its own`, () => {
    if (!signing.includes(wire.name) || wire.name === 'openai-responses') return;
    const thought: AssistantPart = { type: 'reasoning', text: 'Hm.', signature: secret };
    const body = wire.encodeRequest(historyWith([thought, { type: 'text', text: 'Hello' }]));
    assert.ok(JSON.stringify(body).includes(secret));
  });
}

for (const { from, to } of strangers) {
  if (!signing.includes(from.name) || !signing.includes(to.name)) continue;
  test(`a thought of ${from.name} keeps its proof on the way through a client of ${to.name}`, () => {
    const reply: WireReply = { ...from.decodeReply(privateReplies[from.name]), extra: {} };
    const shown = to.encodeReply(reply);
    // The client sends back what it was shown, and only the model that made it gets to see it.
    const { content } = to.decodeReply(sent(shown));
    const thought = content.filter((part) => part.type === 'reasoning');
    const history = historyWith([...thought, { type: 'text', text: 'Hello' }]);
    assert.ok(JSON.stringify(from.encodeRequest(history)).includes('PRIVATE-proof'));
    assert.ok(!JSON.stringify(to.encodeRequest(history)).includes(secret));
  });

  test(`a streamed thought of ${from.name} does so too, by ${to.name}`, () => {
    const decoder = to.createStreamDecoder();
    const encoder = to.createStreamEncoder();
    const frames = eventsOf(from).flatMap((event) => encoder.push(event));
    const heard = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
    const thought = assembleReply(heard, to.name).content.filter(
      (part) => part.type === 'reasoning',
    );
    const history = historyWith([...thought, { type: 'text', text: 'Hello' }]);
    assert.ok(JSON.stringify(from.encodeRequest(history)).includes('PRIVATE-proof'));
    assert.ok(!JSON.stringify(to.encodeRequest(history)).includes(secret));
  });
}

test('strictness and cache marks cross over to every wire that has them', () => {
  const marked: WireRequest = {
    ...richRequest,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi', provider: { cache_control: { type: 'ephemeral' } } },
          { type: 'text', text: 'there' },
        ],
      },
    ],
    tools: richRequest.tools.map((tool) => ({ ...tool, provider: { strict: true } })),
  };
  const saysStrict = all.filter(({ name }) => name !== 'gemini');
  for (const from of saysStrict) {
    const came = from.decodeRequest(sent(from.encodeRequest(marked)));
    assert.equal(came.tools[0]?.provider?.strict, true);
    for (const to of saysStrict) {
      const body = JSON.stringify(to.encodeRequest({ ...came, extra: {} }));
      assert.match(body, /"strict":true/);
    }
  }
  const saysCache = new Set(['openai-chat', 'anthropic-messages']);
  for (const { name, encodeRequest } of all) {
    const body = JSON.stringify(encodeRequest(marked));
    assert.equal(body.includes('cache_control'), saysCache.has(name), name);
  }
});

function whole(wire: Wire): AssistantPart[] {
  return [...wire.decodeReply(privateReplies[wire.name]).content];
}

function streamed(wire: Wire): AssistantPart[] {
  return [...assembleReply(eventsOf(wire), wire.name).content];
}

/** The private reply of a wire as its stream. */
function eventsOf(wire: Wire) {
  const encoder = wire.createStreamEncoder();
  const decoder = wire.createStreamDecoder();
  const reply = wire.decodeReply(privateReplies[wire.name]);
  const frames = [...eventsOfReply(reply)].flatMap((event) => encoder.push(event));
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

function historyWith(content: readonly AssistantPart[]): WireRequest {
  const calls = content.filter((part) => part.type === 'tool_call');
  const results: Message[] = calls.map(({ id, name }) => ({
    role: 'tool',
    content: [
      { type: 'tool_result', callId: id, name, content: [{ type: 'text', text: 'A cat.' }] },
    ],
  }));
  return {
    ...richRequest,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { role: 'assistant', content: [...content] },
      ...results,
      { role: 'user', content: [{ type: 'text', text: 'On.' }] },
    ],
  };
}

function secretsIn(body: JsonObject): string[] {
  const found = JSON.stringify(body).match(/[\w-]*PRIVATE[\w-]*/g) ?? [];
  return [...new Set(found)].sort();
}
