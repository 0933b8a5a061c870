import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@forge/core';
import fc from 'fast-check';
import { assembleReply } from './assemble-reply.ts';
import { wires } from './index.ts';
import { richReply, richRequest, richStream } from './shared/examples.test.ts';
import { factsOf, partFacts } from './shared/facts.test.ts';
import {
  assertReadsAnything,
  assertSameHoweverCut,
  bytesOf,
  hear,
  orModelError,
  sent,
} from './shared/loopback.test.ts';
import type { StreamEvent } from './wire.ts';
import { wireErrorKinds as kinds } from './wire-error.ts';

/** What every wire must do, whatever it looks like on the line. */

/** Words some wire looks for, and those that break code which trusts objects. */
const names = [
  'model messages role content text type tools tool_calls function name arguments id index',
  'choices message delta finish_reason usage error code status metadata headers detail message',
  'input output instructions item response summary call_id output_index content_index part',
  'system thinking signature tool_use tool_result tool_use_id input_schema source citations',
  'content_block usage stop_reason contents parts functionCall functionResponse args',
  'candidates thoughtSignature inlineData generationConfig systemInstruction details reason',
  'done done_reason options format think images tool_name created_at toString valueOf __proto__',
].flatMap((line) => line.split(' '));
const values = [
  'user assistant system tool model function message function_call reasoning text thinking image',
  'tool_use tool_result error response.completed response.output_item.done content_block_delta',
  'content_block_start message_start message_delta response.output_text.delta text_delta',
].flatMap((line) => line.split(' '));
const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    fc.constantFrom<unknown>(...values, null, '', 0, -1, '3', true, 1e308),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 5 }),
  ),
}));
const anyJson: fc.Arbitrary<JsonValue> = fc
  .oneof({ weight: 4, arbitrary: node }, { weight: 1, arbitrary: fc.jsonValue() })
  .map((value) => JSON.parse(JSON.stringify(value)));

const tooDeep = `{"error":{"message":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;

for (const wire of Object.values(wires)) {
  test(`${wire.name}: a rich request comes back with all it said, and then stays as it is`, () => {
    const hints = { model: richRequest.model, stream: true };
    const once = wire.decodeRequest(sent(wire.encodeRequest(richRequest)), hints);
    const { messages, tools, settings, ...head } = once;
    assert.deepEqual(factsOf(messages), factsOf(richRequest.messages));
    assert.deepEqual(tools, richRequest.tools);
    assert.deepEqual(settings, richRequest.settings);
    assert.equal(head.model, richRequest.model);
    assert.equal(head.stream, true);
    assert.deepEqual(wire.decodeRequest(sent(wire.encodeRequest(once)), hints), once);
  });

  test(`${wire.name}: a rich reply comes back with all it said, and then stays as it is`, () => {
    const once = wire.decodeReply(sent(wire.encodeReply(richReply)));
    assert.deepEqual(partFacts(once.content), partFacts(richReply.content));
    assert.equal(once.finish, richReply.finish);
    assert.equal(once.usage?.inputTokens, 100);
    assert.equal(once.usage?.outputTokens, 20);
    assert.deepEqual(wire.decodeReply(sent(wire.encodeReply(once))), once);
  });

  test(`${wire.name}: a rich stream comes back the same, wherever its bytes are cut`, () => {
    const bytes = bytesOf(wire, richStream);
    const whole = hear(wire, [bytes]);
    const partsOf = (events: readonly StreamEvent[]) =>
      partFacts(assembleReply(events, wire.name).content);
    assert.deepEqual(partsOf(whole), partsOf(richStream));
    const last = whole.at(-1);
    assert.ok(last?.type === 'finish' && last.finish === 'tool_calls');
    assertSameHoweverCut(wire, bytes, whole);
    assert.deepEqual(hear(wire, [bytesOf(wire, whole)]), whole);
  });

  test(`${wire.name}: any JSON is read or refused with a ModelError, in every place`, () => {
    assertReadsAnything(wire, anyJson, { numRuns: 400, seed: 11 });
  });

  test(`${wire.name}: any failure is told as an error of some kind`, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999 }),
        fc.dictionary(
          fc.constantFrom(
            'retry-after',
            'Retry-After-Ms',
            'date',
            'x-ratelimit-reset',
            '__proto__',
          ),
          fc.oneof(fc.string(), fc.constantFrom('1', '-1', '1e400', '9'.repeat(400), 'Wed')),
        ),
        fc.oneof(
          anyJson.map((body) => JSON.stringify(body)),
          fc.string(),
        ),
        (status, headers, body) => {
          const error = wire.decodeError({ status, headers, body });
          assert.ok(kinds.includes(error.kind));
          assert.notEqual(error.message, '');
          assert.ok(error.retryAfter === undefined || error.retryAfter >= 0);
        },
      ),
      { numRuns: 500, seed: 12 },
    );
    const odd = { toString: 1, valueOf: 1 };
    for (const error of [{ code: odd }, { status: odd, message: odd }, { type: odd }, odd]) {
      const body = JSON.stringify({ error, detail: [{ loc: [odd], msg: odd }] });
      assert.ok(kinds.includes(wire.decodeError({ status: 500, headers: {}, body }).kind));
    }
  });

  test(`${wire.name}: JSON nested beyond the stack is refused, not fallen over`, () => {
    const body: unknown = JSON.parse(tooDeep);
    const decoder = wire.createStreamDecoder();
    orModelError(() => wire.decodeRequest({ messages: [{ role: 'user', content: body }] }));
    orModelError(() => wire.decodeRequest(body));
    orModelError(() => wire.decodeReply(body));
    assert.equal([...decoder.push({ data: tooDeep }), ...decoder.end()].at(-1)?.type, 'error');
    assert.ok(kinds.includes(wire.decodeError({ status: 500, headers: {}, body: tooDeep }).kind));
  });

  for (const kind of kinds) {
    test(`${wire.name}: a client understands the ${kind} a server of ours tells`, () => {
      for (const status of [undefined, 200, 400, 403, 413, 429, 500, 503, 529]) {
        const told = wire.encodeError({ kind, message: 'Because.', status, retryAfter: 1500 });
        const { headers = {} } = told;
        const heard = wire.decodeError({ ...told, headers, body: JSON.stringify(told.body) });
        assert.equal(heard.kind, kind);
        assert.match(heard.message, /Because\./);
        assert.equal(heard.retryAfter, 1500);
        assert.equal(headers['retry-after'], '2');
      }
      const [last] = hear(wire, [
        bytesOf(wire, [{ type: 'error', error: { kind, message: 'Because.' } }]),
      ]).slice(-1);
      assert.ok(last?.type === 'error');
      assert.equal(last.error.kind, kind);
    });
  }
}

test('an error that names no time to wait has no header for it', () => {
  for (const wire of Object.values(wires)) {
    assert.deepEqual(wire.encodeError({ kind: 'auth', message: 'No.' }).headers, {});
  }
});
