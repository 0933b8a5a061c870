import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelError } from '@forge/models';
import { startGuarded } from './start-guarded.ts';
import type { Voice } from './voice.ts';

/** How a client's own errors tell what the server said. */
export interface ErrorReader {
  statusOf(error: unknown): unknown;
  /** Undefined for clients whose errors have no headers. */
  readonly retryAfterOf?: (error: unknown) => unknown;
}

/** A backend's failure reaches the client as its own kind of error, with status and wait. */
export function raisesErrors(voice: Voice, { statusOf, retryAfterOf }: ErrorReader) {
  describe(`${voice.name}, told of a failure`, () => {
    for (const wire of ['openai-chat', 'anthropic-messages', 'ollama'] as const) {
      for (const stream of [false, true]) {
        const asked = `${stream ? 'stream' : 'whole'}, backend ${wire}`;
        for (const status of [400, 401, 404, 429, 500]) {
          it(`by status ${status} (${asked})`, async (t) => {
            const script = [{ fault: { type: 'status' as const, status, retryAfter: '7' } }];
            const { url, backend, untilOver } = await startGuarded(t, { wire, script });
            await assert.rejects(voice.ask(url, { stream }), (error) => {
              assert.equal(statusOf(error), status);
              if (retryAfterOf) assert.equal(retryAfterOf(error), '7');
              return true;
            });
            assert.equal(backend.requests.length, 1);
            assert.equal((await untilOver(1))[0]?.outcome, 'failed');
          });
        }

        it(`by a web page where a reply should be (${asked})`, async (t) => {
          const script = [{ fault: { type: 'html' as const, status: 502 } }];
          const { url } = await startGuarded(t, { wire, script });
          await assert.rejects(voice.ask(url, { stream }), (error) => {
            assert.equal(statusOf(error), 502);
            return true;
          });
        });
      }

      it(`in the middle of a stream (backend ${wire})`, async (t) => {
        const error = new ModelError({ kind: 'overloaded', message: 'Too much at once.' });
        const script = [{ say: 'It will', fault: { type: 'late_error' as const, error } }];
        const { url, untilOver } = await startGuarded(t, { wire, script });
        await assert.rejects(voice.ask(url, { stream: true }));
        assert.equal((await untilOver(1))[0]?.outcome, 'failed');
      });
    }
  });
}
