import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../messages/message.ts';
import type { ContextEntry } from './entry.ts';
import { estimateMessageTokens } from './estimate-tokens.ts';
import { renderContext } from './render-context.ts';
import { sentWindow } from './sent-window.ts';
import { tieredCompaction } from './tiered-compaction.ts';
import { groupUnits } from './units.ts';

test('the work of a plan is linear in the window', () => {
  const counted = (steps: number) => {
    const window: ContextEntry[] = [
      { id: 0, kind: 'input', turn: 0, message: { role: 'user', content: [] } },
    ];
    for (let turn = 1; turn <= steps; turn++) {
      const call = { type: 'tool_call' as const, id: `c${turn}`, name: 'read', args: {} };
      const shown = { type: 'text' as const, text: 'line '.repeat(60) };
      const part = {
        type: 'tool_result' as const,
        callId: call.id,
        name: 'read',
        content: [shown],
      };
      window.push({
        id: turn * 2,
        kind: 'reply',
        turn,
        message: { role: 'assistant', content: [call] },
      });
      window.push({
        id: turn * 2 + 1,
        kind: 'result',
        turn,
        message: { role: 'tool', content: [part] },
      });
    }
    let counts = 0;
    const countTokens = (message: Message) => {
      counts++;
      return estimateMessageTokens(message);
    };
    const sent = sentWindow(window, 'none');
    const { tokens } = renderContext({ system: '', window });
    const input = {
      window: sent,
      units: groupUnits(sent),
      tokens,
      fixedTokens: 0,
      budget: 100,
      countTokens,
      canSummarize: true,
    };
    assert.notEqual(tieredCompaction()(input), undefined);
    assert.notEqual(tieredCompaction()({ ...input, canSummarize: false }), undefined);
    return counts / window.length;
  };
  assert.ok(counted(100) < 12);
  assert.ok(counted(2_000) < 12);
});
