import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AssistantPart,
  type ImagePart,
  type TextPart,
  type ToolResultPart,
  text,
  userMessage,
} from '../messages/message.ts';
import { assistant, type Piece } from './build-window.test.ts';
import type { ContextEntry } from './entry.ts';
import { pairCalls } from './pair-calls.ts';
import type { PendingCalls, PendingState } from './pending-calls.ts';

/** A run as it may look at any moment: see the segments below for what can happen in it. */
export interface History {
  readonly window: readonly ContextEntry[];
  readonly pendingCalls: PendingCalls;
}

const image: ImagePart = { type: 'image', mediaType: 'image/png', source: { data: 'AAAA' } };

/** Empty, short, unicode, or longer than everything else together. */
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .tuple(fc.constantFrom('log line 42\n', '漢字と', 'a1b2c3', '👩‍💻 '), fc.nat(400))
    .map(([unit, times]) => unit.repeat(times)),
);
const content = fc.array(
  fc.oneof<fc.Arbitrary<TextPart | ImagePart>[]>(
    words.map(text),
    words.map(text),
    fc.constant(image),
  ),
  { maxLength: 2 },
);
const reasoning = fc.option(
  fc.record({ words, signature: fc.option(fc.constant('c2lnbmF0dXJl'), { nil: undefined }) }),
  { nil: undefined },
);

const toolCall = fc.record({
  name: fc.constantFrom('read', 'write', 'search'),
  body: words,
  content,
  isError: fc.boolean(),
  /** How many segments later the result comes; `undefined`: it has not come. */
  delay: fc.option(fc.constantFrom(0, 0, 0, 0, 1, 3), { nil: undefined, freq: 8 }),
});

const segment = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('input' as const), content }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('step' as const),
      said: words,
      reasoning,
      calls: fc.array(toolCall, { minLength: 1, maxLength: 4 }),
      /** All results that come at once in one message. */
      merged: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('answer' as const), said: words, reasoning }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('refusal' as const),
      said: words,
      calls: fc.nat(2),
      nudgeBy: fc.constantFrom('user' as const, 'tools' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('orphan' as const), said: words }) },
);

type Segment = typeof segment extends fc.Arbitrary<infer T> ? T : never;

/** With `reuseIds`, ids start again in every reply, as some backends do. */
export function arbitraryHistory({ reuseIds = false } = {}): fc.Arbitrary<History> {
  return fc
    .array(segment, { maxLength: 14, size: 'max' })
    .map((segments) => buildHistory(segments, reuseIds));
}

function buildHistory(segments: readonly Segment[], reuseIds: boolean): History {
  const pieces: Piece[] = [{ kind: 'input', message: userMessage('start'), turn: 0 }];
  const late: { due: number; piece: Piece }[] = [];
  const pendingCalls = new Map<string, PendingState>();
  let turn = 0;
  let ids = 0;
  const nextId = () => `call_${ids++}`;

  segments.forEach((now, index) => {
    for (const { piece } of late.filter(({ due }) => due === index)) pieces.push(piece);
    if (reuseIds) ids = 0;
    switch (now.what) {
      case 'input':
        pieces.push({
          kind: 'input',
          message: { role: 'user', content: [text('Next:'), ...now.content] },
          turn,
        });
        break;
      case 'answer':
        turn++;
        pieces.push({
          kind: 'reply',
          message: assistant(...thoughts(now.reasoning), text(now.said)),
          turn,
        });
        break;
      case 'orphan':
        pieces.push({
          kind: 'result',
          message: { role: 'tool', content: [resultFor('gone', 'read', [text(now.said)])] },
          turn,
        });
        break;
      case 'refusal': {
        turn++;
        const calls = Array.from({ length: now.calls }, () => callFor(nextId(), 'nope', now.said));
        pieces.push({ kind: 'rejected', message: assistant(text(now.said), ...calls), turn });
        if (now.nudgeBy === 'user' || calls.length === 0) {
          pieces.push({ kind: 'nudge', message: userMessage('Use one of the tools.'), turn });
        } else {
          for (const { id } of calls) {
            const part = resultFor(id, 'nope', [text('There is no such tool.')]);
            pieces.push({ kind: 'nudge', message: { role: 'tool', content: [part] }, turn });
          }
        }
        break;
      }
      case 'step': {
        turn++;
        const made = now.calls.map((call) => ({ ...call, id: nextId() }));
        const calls = made.map(({ id, name, body }) => callFor(id, name, body));
        pieces.push({
          kind: 'reply',
          message: assistant(...thoughts(now.reasoning), text(now.said), ...calls),
          turn,
        });
        const atOnce: ToolResultPart[] = [];
        for (const { id, name, content: shown, isError, delay } of made) {
          const part = { ...resultFor(id, name, shown), isError };
          const piece: Piece = { kind: 'result', message: { role: 'tool', content: [part] }, turn };
          if (delay === 0) atOnce.push(part);
          else if (delay !== undefined && index + delay < segments.length)
            late.push({ due: index + delay, piece });
          else pendingCalls.set(id, 'running');
        }
        const grouped = now.merged && atOnce.length > 0 ? [atOnce] : atOnce.map((part) => [part]);
        for (const parts of grouped)
          pieces.push({ kind: 'result', message: { role: 'tool', content: parts }, turn });
        break;
      }
      default:
        now satisfies never;
    }
  });
  const window = pieces.map((piece, index) => ({ ...piece, turn: piece.turn ?? 0, id: index + 1 }));
  return { window, pendingCalls };
}

function thoughts(
  part: { words: string; signature: string | undefined } | undefined,
): AssistantPart[] {
  if (part === undefined) return [];
  const { words: said, signature } = part;
  return [{ type: 'reasoning', text: said, ...(signature !== undefined && { signature }) }];
}

function callFor(id: string, name: string, body: string) {
  return { type: 'tool_call' as const, id, name, args: { body } };
}

function resultFor(callId: string, name: string, shown: (TextPart | ImagePart)[]): ToolResultPart {
  return { type: 'tool_result', callId, name, content: shown };
}

test('generated histories have what they should have: late results, pending calls, refusals', () => {
  const seen = new Set<string>();
  for (const { window, pendingCalls } of fc.sample(arbitraryHistory(), { numRuns: 200, seed: 1 })) {
    if (pendingCalls.size > 0) seen.add('pending');
    for (const { kind } of window) seen.add(kind);
    const { calls } = pairCalls(window);
    for (const [at, slots] of calls) {
      if (slots.some(({ answer }) => answer !== undefined && answer.at > at + slots.length))
        seen.add('late');
    }
  }
  assert.deepEqual([...seen].sort(), [
    'input',
    'late',
    'nudge',
    'pending',
    'rejected',
    'reply',
    'result',
  ]);
});
