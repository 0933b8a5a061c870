import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Happening } from '../kernel/events.ts';
import type { AssistantMessage } from '../messages/message.ts';
import { createRedactor } from './create-redactor.ts';
import { holdsRedacted, redactHappening, redactJson } from './redact-value.ts';

const redactor = createRedactor();
const secret = `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF'.repeat(2).slice(0, 36)}`;
const clean = '[redacted:github-token]';

function reply(content: AssistantMessage['content']): Happening {
  return { type: 'model.replied', turn: 1, reply: { content, finish: 'stop' } };
}

describe('redactHappening', () => {
  it('cleans what was said, the arguments, the results and the errors', () => {
    const cases: readonly ((word: string) => Happening)[] = [
      (word) => ({
        type: 'input.received',
        messages: [{ role: 'user', content: [{ type: 'text', text: word }] }],
      }),
      (word) => reply([{ type: 'text', text: word }]),
      (word) => reply([{ type: 'reasoning', text: word }]),
      (word) =>
        reply([
          { type: 'tool_call', id: 'c', name: 't', args: { provider: [word] }, argsText: word },
        ]),
      (word) => ({
        type: 'tool.started',
        callId: 'c',
        name: 't',
        args: { id: word, [word]: 1 },
        idempotencyKey: 'k',
      }),
      (word) => ({
        type: 'tool.finished',
        callId: 'c',
        name: 't',
        outcome: 'ok',
        content: [{ type: 'text', text: word }],
      }),
      (word) => ({ type: 'model.failed', turn: 1, error: word }),
      (word) => ({
        type: 'approval.decided',
        callId: 'c',
        approved: true,
        args: { a: word },
        reason: word,
      }),
      (word) => ({
        type: 'run.finished',
        status: 'failed',
        reason: 'model_failed',
        explanation: word,
      }),
    ];
    for (const make of cases) {
      assert.deepEqual(redactHappening(redactor, make(`a ${secret}`)), make(`a ${clean}`));
      const harmless = make('nothing');
      assert.equal(redactHappening(redactor, harmless), harmless, 'the very same');
    }
  });

  it('leaves alone what a provider has to get back as it was', () => {
    const sealed: AssistantMessage['content'] = [
      { type: 'reasoning', text: secret, signature: secret },
      { type: 'opaque', wire: 'anthropic', value: { text: secret } },
      { type: 'text', text: 'a', provider: { mark: secret } },
      { type: 'tool_call', id: secret, name: 't', args: {}, provider: { thought: secret } },
    ];
    const happening = reply(sealed);
    assert.equal(redactHappening(redactor, happening), happening);
  });
});

describe('redactJson', () => {
  it('goes into every depth, and takes what is too deep as one', () => {
    let deep: unknown = secret;
    for (let depth = 0; depth < 100; depth += 1) deep = { id: [deep] };
    assert.ok(JSON.stringify(redactJson(redactor, deep)).includes(clean));
    for (let depth = 0; depth < 1_000; depth += 1) deep = [deep];
    assert.ok(JSON.stringify(redactJson(redactor, deep)).includes('[redacted:nested]'));
  });
});

describe('holdsRedacted', () => {
  it('tells what is not as it was meant', () => {
    assert.equal(holdsRedacted({ a: [{ b: `x ${clean}` }] }), true);
    assert.equal(holdsRedacted({ [clean]: 1 }), true);
    assert.equal(holdsRedacted({ a: ['redacted', null, 3, '[redacted]'] }), false);
  });
});
