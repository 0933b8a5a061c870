import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AssistantPart, FinishReason, Usage } from '@forge/core';
import { textOf } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import { assembleReply } from '../../src/wire/index.ts';
import {
  argsOf,
  asking,
  callsIn,
  connect,
  reasoningIn,
  type Subject,
  signal,
  ways,
} from './subject.ts';

const usage: Usage = {
  inputTokens: 120,
  outputTokens: 30,
  cachedInputTokens: 100,
  reasoningTokens: 20,
};

/** What a wire has no word for. */
const untold: Partial<Record<Subject['wire']['name'], readonly (keyof Usage)[]>> = {
  ollama: ['cachedInputTokens', 'reasoningTokens'],
};

/** What a model says arrives as it was meant. */
export function replies(subject: Subject) {
  const { wire } = subject;
  describe('a reply', () => {
    for (const { way, listen } of ways) {
      it(`of text (${way})`, async (t) => {
        const said = 'Grüße aus Oslo 🌧️.\n\n```json\n{"a": "b"}\n```\n';
        const { model } = await connect(t, subject, [says(said)]);
        const reply = await model.complete(asking(), { signal, ...listen });
        assert.equal(textOf(reply), said);
        assert.deepEqual(
          reply.content.map((part) => part.type),
          ['text'],
        );
        assert.equal(reply.finish, 'stop');
      });

      it(`with a call (${way})`, async (t) => {
        const args = { city: 'São "Paulo" 🌧', days: 3 };
        const { model } = await connect(t, subject, [calls(['get_forecast', args, 'call_1'])]);
        const reply = await model.complete(asking(), { signal, ...listen });
        const [call, ...others] = callsIn(reply);
        assert.ok(call);
        assert.deepEqual([call.name, argsOf(call), others], ['get_forecast', args, []]);
        assert.notEqual(call.id, '');
        assert.equal(reply.finish, 'tool_calls');
        assert.equal(textOf(reply), '');
      });

      it(`with text and parallel calls, one without arguments (${way})`, async (t) => {
        const two = calls(
          ['get_forecast', { city: 'Oslo' }, 'call_1'],
          ['ping', {}, 'call_2'],
          ['get_forecast', { city: 'Rome' }, 'call_3'],
        );
        const content: AssistantPart[] = [{ type: 'text', text: 'Let me see.' }, ...two.content];
        const { model } = await connect(t, subject, [{ ...two, content }]);
        const reply = await model.complete(asking(), { signal, ...listen });
        assert.equal(textOf(reply), 'Let me see.');
        assert.deepEqual(
          callsIn(reply).map((call) => [call.name, argsOf(call)]),
          [
            ['get_forecast', { city: 'Oslo' }],
            ['ping', {}],
            ['get_forecast', { city: 'Rome' }],
          ],
        );
        assert.equal(new Set(callsIn(reply).map((call) => call.id)).size, 3);
      });

      it(`with reasoning before its text (${way})`, async (t) => {
        const reasoning: AssistantPart = {
          type: 'reasoning',
          text: 'The user is in Oslo, so rain.',
        };
        const content: AssistantPart[] = [reasoning, { type: 'text', text: 'Rain.' }];
        const { model } = await connect(t, subject, [{ content, finish: 'stop' }]);
        const reply = await model.complete(asking(), { signal, ...listen });
        assert.equal(reasoningIn(reply), 'The user is in Oslo, so rain.');
        assert.equal(textOf(reply), 'Rain.');
      });

      it(`that is empty (${way})`, async (t) => {
        const { model } = await connect(t, subject, [says('')]);
        const reply = await model.complete(asking(), { signal, ...listen });
        assert.equal(textOf(reply), '');
        assert.deepEqual(callsIn(reply), []);
        assert.equal(reply.finish, 'stop');
      });

      it(`with what it cost (${way})`, async (t) => {
        const { model } = await connect(t, subject, [{ ...says('Hi.'), usage }]);
        const reply = await model.complete(asking(), { signal, ...listen });
        const told: Partial<Record<keyof Usage, number>> = { ...usage };
        for (const name of untold[wire.name] ?? []) delete told[name];
        assert.deepEqual(reply.usage, told);
      });

      const finishes: readonly FinishReason[] = ['stop', 'length', 'content_filter'];
      for (const finish of finishes) {
        it(`that ends with ${finish} (${way})`, async (t) => {
          const { model } = await connect(t, subject, [{ ...says('It will ra'), finish }]);
          const reply = await model.complete(asking(), { signal, ...listen });
          assert.equal(reply.finish, finish);
          assert.equal(textOf(reply), 'It will ra');
        });
      }
    }

    it('is the same from complete(), reply() and stream()', async (t) => {
      const content: AssistantPart[] = [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Let me see.' },
        ...calls(['get_forecast', { city: 'Oslo' }, 'call_1']).content,
      ];
      const line = { content, finish: 'tool_calls', usage, id: 'r1' } as const;
      const { model } = await connect(t, subject, [line, line, line]);
      const complete = await model.complete(asking(), { signal });
      const reply = await model.reply(asking(), { signal });
      const events = [];
      for await (const event of model.stream(asking(), { signal })) events.push(event);
      const streamed = assembleReply(events, wire.name);
      for (const one of [reply, streamed]) {
        assert.equal(reasoningIn(one), reasoningIn(complete));
        assert.equal(textOf(one), textOf(complete));
        assert.deepEqual(callsIn(one).map(argsOf), callsIn(complete).map(argsOf));
        assert.deepEqual([one.finish, one.usage], [complete.finish, complete.usage]);
        assert.equal(one.model, 'tiny');
      }
    });
  });
}
