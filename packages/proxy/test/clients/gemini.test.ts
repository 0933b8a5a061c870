import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@google/genai';
import { aborts } from './aborts.ts';
import { geminiAt, geminiVoice } from './gemini.ts';
import { guardsCalls } from './guards-calls.ts';
import { raisesErrors } from './raises-errors.ts';
import { startGuarded } from './start-guarded.ts';
import { question } from './voice.ts';

guardsCalls(geminiVoice);
aborts(geminiVoice);
raisesErrors(geminiVoice, { statusOf: (error) => error instanceof ApiError && error.status });

describe('@google/genai', () => {
  for (const wire of ['gemini', 'openai-chat'] as const) {
    it(`gets the structure it asks for after a wrong one (backend ${wire})`, async (t) => {
      const script = ['{"town":"Oslo"}', '{"city":"Oslo"}'];
      const { url, backend } = await startGuarded(t, { wire, script });
      const { text = '' } = await geminiAt(url).models.generateContent({
        model: 'm',
        contents: question,
        config: {
          responseMimeType: 'application/json',
          responseJsonSchema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          },
        },
      });
      assert.deepEqual(JSON.parse(text), { city: 'Oslo' });
      assert.equal(backend.requests.length, 2);
    });
  }
});
