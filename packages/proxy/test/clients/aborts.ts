import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { startGuarded } from './start-guarded.ts';
import type { Voice } from './voice.ts';

/** A client that leaves takes its request at the backend with it, wherever that is. */
export function aborts(voice: Voice) {
  describe(`${voice.name} that leaves`, () => {
    for (const wire of ['openai-chat', 'anthropic-messages'] as const) {
      for (const stream of [false, true]) {
        it(`before the first byte (${stream ? 'stream' : 'whole'}, backend ${wire})`, async (t) => {
          const leaving = new AbortController();
          const stall = () => {
            leaving.abort();
            return '';
          };
          const script = [{ say: stall, fault: { type: 'stall' as const } }];
          const { url, backend, untilOver } = await startGuarded(t, { wire, script });
          await assert.rejects(voice.ask(url, { stream, signal: leaving.signal }));
          await backend.untilAborted();
          assert.equal((await untilOver(1))[0]?.outcome, 'cancelled');
        });
      }

      it(`in the middle of a stream (backend ${wire})`, async (t) => {
        const leaving = new AbortController();
        const isLast = (chunk: string) => chunk.includes('later');
        const chunkDelay = (chunk: string, signal: AbortSignal) =>
          isLast(chunk) ? left(signal) : undefined;
        const script = [{ say: 'Now, and later.', chunkDelay }];
        const { url, backend, untilOver } = await startGuarded(t, { wire, script });
        let heard = '';
        const onText = (text: string) => {
          heard += text;
          if (heard.startsWith('Now')) leaving.abort();
        };
        await assert.rejects(voice.ask(url, { stream: true, signal: leaving.signal, onText }));
        await backend.untilAborted();
        assert.match(heard, /^Now/);
        assert.equal((await untilOver(1))[0]?.outcome, 'cancelled');
      });

      it(`while a refused reply is asked for again (backend ${wire})`, async (t) => {
        const leaving = new AbortController();
        const stall = () => {
          leaving.abort();
          return '';
        };
        const script = [
          calls(['forecast', { place: 'Oslo' }, 'bad_1']),
          { say: stall, fault: { type: 'stall' as const } },
        ];
        const { url, backend, untilOver } = await startGuarded(t, { wire, script });
        await assert.rejects(voice.ask(url, { stream: true, signal: leaving.signal }));
        await backend.untilAborted();
        assert.equal((await untilOver(1))[0]?.outcome, 'cancelled');
        assert.equal(backend.requests.length, 2);
      });
    }
  });
}

function left(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
