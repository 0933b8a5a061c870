import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../json.ts';
import { type Message, text } from '../messages/message.ts';
import { calls } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createGuard } from './create-guard.ts';
import { judgeReply } from './judge-reply.ts';
import { progressFromHistory } from './progress-from-history.ts';

const search = defineTool({ name: 'search', description: '', input: { type: 'object' } });
const guard = createGuard({ tools: [search], requiredSteps: ['search'] });

function turn(args: JsonValue, said: string, isError = false): Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'search', args }] },
    {
      role: 'tool',
      content: [
        { type: 'tool_result', callId: 'c', name: 'search', content: [text(said)], isError },
      ],
    },
  ];
}

describe('progressFromHistory', () => {
  it('reads the steps that succeeded', () => {
    assert.deepEqual(progressFromHistory(guard, turn({}, 'found')).facts, ['search']);
    assert.deepEqual(progressFromHistory(guard, turn({}, 'broke', true)).facts, []);
  });

  it('reads loops, also from calls kept as JSON text', () => {
    const history = [...turn({ q: 1 }, 'same'), ...turn('{"q":1}', 'same')];
    const verdict = judgeReply(
      guard,
      progressFromHistory(guard, history),
      calls(['search', { q: 1 }]),
      'x',
    );
    assert.equal(verdict.kind, 'blocked');
  });

  it('reads past calls that are malformed or were never answered', () => {
    const unanswered = turn({ q: 1 }, '').slice(0, 1);
    const progress = progressFromHistory(guard, [...turn('{"q":', 'x'), ...unanswered]);
    assert.equal(progress.recent.length, 2);
  });
});
