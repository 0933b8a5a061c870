import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { append, emptyList, listOf } from '../append-list.ts';
import type { ContextEntry, EntryKind } from '../context/entry.ts';
import { type Message, userMessage } from '../messages/message.ts';
import { programView } from './program-view.ts';
import { initialState, type RunState } from './state.ts';

const entry = (id: number, kind: EntryKind, message: Message): ContextEntry => ({
  id,
  kind,
  turn: 1,
  message,
});
const called = (at: number, id: string) =>
  entry(at, 'reply', {
    role: 'assistant',
    content: [{ type: 'tool_call', id, name: 'ask', args: { at } }],
  });
const answered = (at: number, callId: string, isError: boolean) =>
  entry(at, 'result', {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId,
        name: 'ask',
        content: [{ type: 'text', text: `${at}` }],
        ...(isError && { isError }),
      },
    ],
  });

const of = (window: RunState['window']) => programView({ ...initialState, window });

const entries = fc
  .array(fc.tuple(fc.constantFrom('said', 'called', 'ok', 'failed'), fc.nat(5)), { maxLength: 30 })
  .map((steps) =>
    steps.map(([what, call], at) => {
      if (what === 'said') return entry(at, 'input', userMessage(`said ${at}`));
      if (what === 'called') return called(at, `c${call}`);
      return answered(at, `c${call}`, what === 'failed');
    }),
  );

describe('what a program is shown', () => {
  it('is the input and the calls, each with what came of it', () => {
    const view = of(
      listOf([
        entry(1, 'input', userMessage('go')),
        called(2, 'a'),
        called(3, 'b'),
        called(4, 'c'),
        answered(5, 'b', false),
        answered(6, 'c', true),
        answered(7, 'b', true), // A second result, and one of nobody's call, count for nothing.
        answered(8, 'x', true),
      ]),
    );
    assert.deepEqual(view.input, ['go']);
    assert.deepEqual(
      view.calls.map(({ id, status, text }) => [id, status, text]),
      [
        ['a', 'open', ''],
        ['b', 'ok', '5'],
        ['c', 'failed', '6'],
      ],
    );
  });

  it('is the same whether it was looked at on the way or not, and from every version', () => {
    fc.assert(
      fc.property(entries, fc.array(fc.nat(30)), (all, looks) => {
        const versions = [emptyList<ContextEntry>()];
        for (const each of all) versions.push(append(versions.at(-1) ?? emptyList(), each));
        // Back and forth over versions that share one buffer.
        for (const look of [...looks, all.length]) {
          const at = Math.min(look, all.length);
          const version = versions[at];
          assert.ok(version);
          assert.deepEqual(of(version), of(listOf(all.slice(0, at))));
        }
      }),
    );
  });

  it('stays as it was when the run goes on', () => {
    const first = append(emptyList<ContextEntry>(), called(1, 'a'));
    const before = of(first);
    of(append(first, answered(2, 'a', false)));
    assert.equal(before.calls[0]?.status, 'open');
  });
});
