import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { wires } from '@forge/models';
import { mistakes } from './mistakes.ts';
import { startGuarded } from './start-guarded.ts';
import { rightArgs, type Voice } from './voice.ts';

const backendWires = Object.values(wires).map(({ name }) => name);
const rightCalls = [{ name: 'get_weather', args: rightArgs }];

/**
 * What every client has to see through the proxy, whatever the backend speaks: text, a call, the
 * way on after its result, and of a malformed call only the right one.
 */
export function guardsCalls(voice: Voice) {
  for (const wire of backendWires) {
    for (const stream of [false, true]) {
      describe(`${voice.name}, ${stream ? 'streamed' : 'whole'}, backend ${wire}`, () => {
        it('hears a plain answer after one generation', async (t) => {
          const { url, backend } = await startGuarded(t, { wire, script: ['It will rain.'] });
          const { text, calls } = await voice.ask(url, { stream });
          assert.deepEqual([text, calls], ['It will rain.', []]);
          assert.equal(backend.requests.length, 1);
        });

        it('goes on after the result of a call', async (t) => {
          const script = [calls(['get_weather', rightArgs, 'call_1']), 'Rain, it says.'];
          const { url, backend, untilOver } = await startGuarded(t, { wire, script });
          const called = await voice.ask(url, { stream });
          assert.deepEqual(called.calls, rightCalls);
          assert.equal(called.finish, voice.finishOfCalls);
          assert.equal((await called.answer('Rain.')).text, 'Rain, it says.');
          assert.match(JSON.stringify(backend.requests[1]?.messages), /"Rain\."/);
          const outcomes = (await untilOver(2)).map(({ outcome }) => outcome);
          assert.deepEqual(outcomes, ['clean', 'clean']);
        });

        for (const { name, lines, outcome, words = '', on = backendWires } of mistakes) {
          if (!on.includes(wire)) continue;
          it(`sees only the right call after ${name}`, async (t) => {
            const script = [...lines, 'Rain, it says.'];
            const { url, backend, untilOver } = await startGuarded(t, { wire, script });
            const heard = await voice.ask(url, { stream });
            assert.deepEqual(heard.calls, rightCalls);
            assert.equal(heard.text.trim(), words);
            assert.equal(heard.finish, voice.finishOfCalls);
            assert.equal(backend.requests.length, lines.length);
            const [event] = await untilOver(1);
            assert.equal(event?.outcome, outcome);
            assert.equal(event.attempts.length, lines.length);
            assert.equal((await heard.answer('Rain.')).text, 'Rain, it says.');
          });
        }
      });
    }
  }
}
