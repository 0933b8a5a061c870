import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { text, userMessage } from '@forge/core';
import { assistant } from './policy-requests.test.ts';
import { reasoningReplayFor, reasoningReplayTable } from './reasoning-replay.ts';
import { replayReasoning } from './replay-reasoning.ts';

describe('which reasoning a model gets back', () => {
  const cases = {
    none: ['deepseek-r1:14b', 'DeepSeek-R1-Distill-Qwen-7B-Q4_K_M.gguf'],
    last: ['qwen3:8b', 'Qwen/Qwen3.5-27B', 'home-made', 'gemma4:31b', 'nemotron-3-super:120b'],
    full: [
      'claude-sonnet-4-5',
      'anthropic/claude-opus-4.7',
      'gemini-3-pro',
      'gpt-5.2',
      'o3',
      'gpt-oss:20b',
      'openai/gpt-oss-120b',
      'deepseek-v4-pro',
      'deepseek-chat',
      'MiniMaxAI/MiniMax-M2',
      'moonshotai/Kimi-K2-Thinking',
      'zai-org/GLM-4.7',
    ],
  } as const;
  for (const [replay, models] of Object.entries(cases)) {
    for (const model of models) {
      it(`${model}: ${replay}`, () => assert.equal(reasoningReplayFor(model).replay, replay));
    }
  }

  it('has a reason for every row', () => {
    for (const { reason } of reasoningReplayTable) assert.ok(reason.length > 20);
    assert.ok(reasoningReplayFor('home-made').reason.length > 20);
  });
});

describe('a history', () => {
  const thought = (said: string, signature?: string) =>
    assistant({ type: 'reasoning', text: said, ...(signature && { signature }) }, text('ok'));
  const history = [userMessage('1'), thought('old'), userMessage('2'), thought('a'), thought('b')];
  const thoughts = (messages: ReturnType<typeof replayReasoning>) =>
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
        : [],
    );

  it('is sent with all, the last or none of its reasoning', () => {
    assert.equal(replayReasoning(history, 'full'), history);
    assert.deepEqual(thoughts(replayReasoning(history, 'last')), ['b']);
    assert.deepEqual(thoughts(replayReasoning(history, 'none')), []);
  });

  it('keeps proven reasoning of the turn that is under way', () => {
    const proven = [userMessage('1'), thought('old', 's'), userMessage('2'), thought('a', 's')];
    assert.deepEqual(thoughts(replayReasoning(proven, 'none')), ['a']);
  });

  it('leaves untouched messages as they are', () => {
    const sent = replayReasoning(history, 'last');
    assert.equal(sent[0], history[0]);
    assert.equal(sent[4], history[4]);
  });
});
