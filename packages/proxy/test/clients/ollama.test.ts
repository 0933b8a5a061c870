import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ollama } from 'ollama';
import { aborts } from './aborts.ts';
import { guardsCalls } from './guards-calls.ts';
import { ollamaVoice } from './ollama.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question } from './voice.ts';

guardsCalls(ollamaVoice);
aborts(ollamaVoice);
raisesErrors(ollamaVoice, {
  statusOf: (error) =>
    typeof error === 'object' && error !== null && 'status_code' in error && error.status_code,
});

describe('ollama', () => {
  for (const wire of ['ollama', 'openai-chat'] as const) {
    it(`gets the structure it asks for after a wrong one (backend ${wire})`, async (t) => {
      const script = ['{"town":"Oslo"}', '{"city":"Oslo"}'];
      const { url, backend } = await startGuarded(t, { wire, script });
      const { message } = await new Ollama({ host: url }).chat({
        model: 'm',
        messages: [{ role: 'user', content: question }],
        format: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      });
      assert.deepEqual(JSON.parse(message.content), { city: 'Oslo' });
      assert.equal(backend.requests.length, 2);
    });
  }

  it('leaves a stream with its own abort', async (t) => {
    const fault = { type: 'stall' as const, afterBytes: 200 };
    const script = [{ say: 'Now, and later.', fault }];
    const { url, backend } = await startGuarded(t, { wire: 'ollama', script });
    const messages = [{ role: 'user', content: question }];
    const stream = await new Ollama({ host: url }).chat({ model: 'm', messages, stream: true });
    await assert.rejects(
      async () => {
        for await (const _ of stream) stream.abort();
      },
      { name: 'AbortError' },
    );
    await backend.untilAborted();
  });

  it('asks the backend about its models', async (t) => {
    const { url } = await startGuarded(t, { wire: 'ollama', script: [] });
    const { capabilities } = await new Ollama({ host: url }).show({ model: 'm' });
    assert.ok(capabilities.includes('tools'));
  });
});
