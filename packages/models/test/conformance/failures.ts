import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '@forge/core';
import type { ModelEvent } from '../../src/policy/index.ts';
import type { ServerLine } from '../../src/testing/index.ts';
import { ModelError } from '../../src/wire/model-error.ts';
import type { WireErrorKind } from '../../src/wire/wire-error.ts';
import { asking, connect, failsWith, key, type Subject, signal, ways } from './subject.ts';

interface Failure {
  readonly name: string;
  readonly line: ServerLine;
  readonly kind: WireErrorKind;
}

/** Those a second try may get past. */
const passing: readonly Failure[] = [
  { name: 'status 429', line: { fault: { type: 'status', status: 429 } }, kind: 'rate_limited' },
  { name: 'status 500', line: { fault: { type: 'status', status: 500 } }, kind: 'unavailable' },
  {
    name: 'status 502 with a page',
    line: { fault: { type: 'html', status: 502 } },
    kind: 'unavailable',
  },
  { name: 'status 504', line: { fault: { type: 'status', status: 504 } }, kind: 'timeout' },
  { name: 'status 529', line: { fault: { type: 'status', status: 529 } }, kind: 'overloaded' },
  { name: 'a web page', line: { fault: { type: 'html' } }, kind: 'bad_response' },
  { name: 'broken JSON', line: { fault: { type: 'malformed_json' } }, kind: 'bad_response' },
  {
    name: 'bytes that are no text',
    line: { fault: { type: 'malformed_bytes' } },
    kind: 'bad_response',
  },
  {
    name: 'an empty body',
    line: { say: 'x', fault: { type: 'cut', afterBytes: 0 } },
    kind: 'bad_response',
  },
  {
    name: 'a body that is cut',
    line: { say: 'x', fault: { type: 'cut', afterBytes: 25 } },
    kind: 'bad_response',
  },
  {
    name: 'a connection that closes',
    line: { say: 'x', fault: { type: 'hang_up' } },
    kind: 'unavailable',
  },
  {
    name: 'a connection that is reset',
    line: { say: 'x', fault: { type: 'reset' } },
    kind: 'unavailable',
  },
  {
    name: 'a connection that closes in the middle',
    line: { say: 'x', fault: { type: 'hang_up', afterBytes: 25 } },
    kind: 'bad_response',
  },
  {
    name: 'a connection that is reset in the middle',
    line: { say: 'x', fault: { type: 'reset', afterBytes: 25 } },
    kind: 'bad_response',
  },
  { name: 'told: overloaded', line: told('overloaded'), kind: 'overloaded' },
];

/** Those nothing can be done about by asking again. */
const lasting: readonly Failure[] = [
  { name: 'status 401', line: { fault: { type: 'status', status: 401 } }, kind: 'auth' },
  { name: 'status 403', line: { fault: { type: 'status', status: 403 } }, kind: 'auth' },
  { name: 'status 404', line: { fault: { type: 'status', status: 404 } }, kind: 'not_found' },
  { name: 'status 400', line: { fault: { type: 'status', status: 400 } }, kind: 'bad_request' },
  { name: 'told: auth', line: told('auth'), kind: 'auth' },
  { name: 'told: not_found', line: told('not_found'), kind: 'not_found' },
  { name: 'told: context_overflow', line: told('context_overflow'), kind: 'context_overflow' },
  { name: 'told: bad_request', line: told('bad_request'), kind: 'bad_request' },
];

function told(kind: WireErrorKind): ModelError {
  return new ModelError({ kind, message: `The server is told to say this to ${key}.` });
}

/** Each failure is told apart, and tried again where that may help. No real time passes. */
export function failures(subject: Subject) {
  describe('a failure', () => {
    for (const { way, listen } of ways) {
      for (const { name, line, kind } of passing) {
        it(`is ${kind} and tried again: ${name} (${way})`, async (t) => {
          const { model, server, waits, events } = await patient(t, [line, 'Recovered.']);
          const reply = await model.complete(asking(), { signal, ...listen });
          assert.equal(textOf(reply), 'Recovered.');
          assert.equal(server.exchanges.length, 2);
          assert.equal(waits.length, 1);
          const [event] = events;
          assert.equal(event?.type === 'retry' && event.error.kind, kind, JSON.stringify(events));
        });
      }

      for (const { name, line, kind } of lasting) {
        it(`is ${kind} and final: ${name} (${way})`, async (t) => {
          const { model, server, waits } = await patient(t, [line, 'Never asked for.']);
          await assert.rejects(model.complete(asking(), { signal, ...listen }), (error) => {
            assert.ok(failsWith(kind)(error) && error instanceof ModelError);
            assert.ok(!`${error.message}${error.body}`.includes(key), 'the key is in the error');
            return true;
          });
          assert.equal(server.exchanges.length, 1);
          assert.deepEqual(waits, []);
        });
      }

      it(`waits as long as it was asked to (${way})`, async (t) => {
        const { model, waits } = await patient(t, [
          { fault: { type: 'status', status: 429, retryAfter: '7' } },
          new ModelError({ kind: 'rate_limited', message: 'Slow down.', retryAfter: 2500 }),
          'Recovered.',
        ]);
        await model.complete(asking(), { signal, ...listen });
        assert.deepEqual(waits, [7000, 2500]);
      });

      it(`that stays is told after the last try, with their number (${way})`, async (t) => {
        const busy: ServerLine = { fault: { type: 'status', status: 503 } };
        const { model, server } = await patient(t, [busy, busy, busy, busy, 'Too late.']);
        const asked = model.complete(asking(), { signal, ...listen });
        await assert.rejects(asked, failsWith('overloaded', /tried 4 times/));
        assert.equal(server.exchanges.length, 4);
      });
    }

    for (const by of [10, -10]) {
      it(`is bad_response and tried again: ${Math.abs(by)} bytes ${by > 0 ? 'fewer' : 'more'} than promised`, async (t) => {
        const line: ServerLine = { say: 'x', fault: { type: 'wrong_length', by } };
        const { model, events } = await patient(t, [line, 'Recovered.']);
        assert.equal(textOf(await model.complete(asking(), { signal })), 'Recovered.');
        assert.equal(events[0]?.type === 'retry' && events[0].error.kind, 'bad_response');
      });
    }

    const words = 'word '.repeat(400);
    const error = { kind: 'overloaded', message: 'Overloaded.' } as const;
    const breaks: readonly (readonly [string, ServerLine])[] = [
      ['a cut', { say: words, fault: { type: 'cut', afterBytes: 9000 } }],
      ['a closed connection', { say: words, fault: { type: 'hang_up', afterBytes: 9000 } }],
      ['a reset', { say: words, fault: { type: 'reset', afterBytes: 9000 } }],
      ['an error in the stream', { say: words, fault: { type: 'late_error', error } }],
    ];
    for (const [name, line] of breaks) {
      it(`is final after the first piece was shown: ${name}`, async (t) => {
        const { model, server } = await patient(t, [line, 'Never asked for.']);
        const shown: string[] = [];
        const asked = model.complete(asking(), { signal, onDelta: ({ text }) => shown.push(text) });
        await assert.rejects(asked, ModelError);
        assert.ok(shown.length > 0);
        assert.ok(words.startsWith(shown.join('')));
        assert.equal(server.exchanges.length, 1);
      });
    }

    it('in the stream is tried again if nothing was shown yet', async (t) => {
      const fault = { type: 'late_error', error } as const;
      const { model, events } = await patient(t, [{ say: '', fault }, 'Recovered.']);
      const reply = await model.complete(asking(), { signal, onDelta: () => {} });
      assert.equal(textOf(reply), 'Recovered.');
      const [event] = events;
      assert.ok(
        event?.type === 'retry' && event.error.kind === 'overloaded',
        JSON.stringify(event),
      );
    });

    it('to connect is unavailable', async (t) => {
      const { model, server } = await connect(t, subject, []);
      await server.close();
      await assert.rejects(
        model.complete(asking(), { signal }),
        failsWith('unavailable', /Nothing listens/),
      );
    });
  });

  /** A model that tries again without waiting, and what it waited for. */
  async function patient(t: Parameters<typeof connect>[0], script: readonly ServerLine[]) {
    const waits: number[] = [];
    const events: ModelEvent[] = [];
    const connected = await connect(t, subject, script, {
      onEvent: (event) => void events.push(event),
      retry: { sleep: async (ms) => void waits.push(ms), random: () => 0, clock: () => 0 },
    });
    return { ...connected, waits, events };
  }
}
