import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { asking, connect, failsWith, type Subject, signal, ways } from './subject.ts';

/** Pieces come as they are sent, and leaving closes the connection. */
export function streaming(subject: Subject) {
  describe('a stream', () => {
    it('gives the first piece while the server waits to send the second', async (t) => {
      const heard = Promise.withResolvers<void>();
      const { model } = await connect(t, subject, [
        { say: 'one two', chunkDelay: (chunk) => (/two/.test(chunk) ? heard.promise : undefined) },
      ]);
      const pieces: string[] = [];
      await model.complete(asking(), {
        signal,
        onDelta({ text }) {
          pieces.push(text);
          heard.resolve();
        },
      });
      assert.deepEqual(pieces, ['one ', 'two']);
    });

    it('gives reasoning and text as deltas, in order', async (t) => {
      const { model } = await connect(t, subject, [
        {
          content: [
            { type: 'reasoning', text: 'Hm, well.' },
            { type: 'text', text: 'It rains.' },
          ],
          finish: 'stop',
        },
      ]);
      const heard = { reasoning: '', text: '' };
      const order: string[] = [];
      await model.complete(asking(), {
        signal,
        onDelta({ type, text }) {
          heard[type] += text;
          order.push(type);
        },
      });
      assert.deepEqual(heard, { reasoning: 'Hm, well.', text: 'It rains.' });
      assert.deepEqual([...new Set(order)], ['reasoning', 'text']);
    });

    it('begins with start, ends with finish, and numbers its calls', async (t) => {
      const { model } = await connect(t, subject, [
        calls(['get_forecast', { city: 'Oslo' }, 'call_1'], ['ping', {}, 'call_2']),
      ]);
      const events = [];
      for await (const event of model.stream(asking(), { signal })) events.push(event);
      const types = events.map((event) => event.type);
      assert.equal(types[0], 'start');
      assert.equal(types.at(-1), 'finish');
      assert.equal(types.indexOf('finish'), types.length - 1);
      const numbers = events.flatMap((event) => (event.type === 'call' ? event.index : []));
      assert.deepEqual(numbers, [0, 1]);
    });

    it('closes the connection when it is aborted on the way', async (t) => {
      const { model, server } = await connect(t, subject, [
        {
          say: 'one two',
          chunkDelay: (chunk) => (/two/.test(chunk) ? new Promise(() => {}) : undefined),
        },
      ]);
      const abort = new AbortController();
      const reason = new Error('no longer needed');
      const asked = model.complete(asking(), {
        signal: abort.signal,
        onDelta: () => abort.abort(reason),
      });
      await assert.rejects(asked, reason);
      await server.untilAborted();
    });

    it('closes the connection when its reader leaves', async (t) => {
      const { model, server } = await connect(t, subject, [
        {
          say: 'one two',
          chunkDelay: (chunk) => (/two/.test(chunk) ? new Promise(() => {}) : undefined),
        },
      ]);
      for await (const event of model.stream(asking(), { signal }))
        if (event.type === 'text') break;
      await server.untilAborted();
    });

    for (const { way, listen } of ways) {
      it(`closes the connection when it is aborted before the first byte (${way})`, async (t) => {
        const abort = new AbortController();
        const reason = new Error('no longer needed');
        const { model, server } = await connect(t, subject, [
          {
            say: 'never',
            delay: () => {
              abort.abort(reason);
              return new Promise(() => {});
            },
          },
        ]);
        await assert.rejects(model.complete(asking(), { signal: abort.signal, ...listen }), reason);
        await server.untilAborted();
      });

      it(`sends nothing when it was aborted before (${way})`, async (t) => {
        const { model, server } = await connect(t, subject, ['never']);
        const asked = model.complete(asking(), { signal: AbortSignal.abort(), ...listen });
        await assert.rejects(asked, { name: 'AbortError' });
        assert.equal(server.exchanges.length, 0);
      });
    }

    it('that goes silent is given up after the stall limit, not before', async (t) => {
      const limits = timers();
      const { model, server } = await connect(
        t,
        subject,
        [
          {
            say: 'one two',
            chunkDelay: (chunk) => (/two/.test(chunk) ? new Promise(() => {}) : undefined),
          },
        ],
        { timeouts: { firstToken: 1000, stall: 200, total: 3000 }, startTimer: limits.start },
      );
      const asked = model.complete(asking(), { signal, onDelta: () => limits.fire(200) });
      await assert.rejects(asked, failsWith('timeout', /stall timeout/));
      await server.untilAborted();
    });

    it('that never begins is given up after the first-token limit', async (t) => {
      const limits = timers();
      const delay = () => {
        limits.fire(1000);
        return new Promise(() => {});
      };
      const { model, server } = await connect(t, subject, [{ say: 'one', delay }], {
        timeouts: { firstToken: 1000, stall: 200, total: 3000 },
        startTimer: limits.start,
      });
      const asked = model.complete(asking(), { signal, onDelta: () => {} });
      await assert.rejects(asked, failsWith('timeout', /first-token timeout/));
      await server.untilAborted();
    });

    it('that takes too long in all is given up', async (t) => {
      const limits = timers();
      const delay = () => {
        limits.fire(3000);
        return new Promise(() => {});
      };
      const { model, server } = await connect(t, subject, [{ say: 'one', delay }], {
        timeouts: { firstToken: 1000, stall: 200, total: 3000 },
        startTimer: limits.start,
      });
      await assert.rejects(
        model.complete(asking(), { signal }),
        failsWith('timeout', /total timeout/),
      );
      await server.untilAborted();
    });
  });
}

/** Timers that go off when told to, by their length: at once, or as soon as they are started. */
function timers() {
  const running = new Map<object, { readonly ms: number; readonly onEnd: () => void }>();
  const due = new Set<number>();
  return {
    start(ms: number, onEnd: () => void) {
      const timer = {};
      running.set(timer, { ms, onEnd });
      if (due.has(ms)) queueMicrotask(() => running.has(timer) && onEnd());
      return () => void running.delete(timer);
    },
    fire(length: number) {
      due.add(length);
      for (const { ms, onEnd } of running.values()) if (ms === length) onEnd();
    },
  };
}
