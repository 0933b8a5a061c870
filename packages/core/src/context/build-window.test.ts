import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AssistantPart,
  type Message,
  type ToolResultPart,
  text,
  userMessage,
} from '../messages/message.ts';
import type { ContextEntry, EntryKind } from './entry.ts';

/** Short ways to write a window down, for the tests of this folder. */
export type Piece = { readonly kind: EntryKind; readonly message: Message; readonly turn?: number };

export function input(words: string): Piece[] {
  return [{ kind: 'input', message: userMessage(words) }];
}

export function answer(words: string, reasoning?: string): Piece[] {
  return [{ kind: 'reply', message: assistant(...thought(reasoning), text(words)) }];
}

export function step(
  calls: Readonly<Record<string, string | undefined>>,
  reasoning?: string,
): Piece[] {
  const ids = Object.keys(calls);
  const reply = assistant(...thought(reasoning), ...ids.map((id) => call(id)));
  const pieces: Piece[] = [{ kind: 'reply', message: reply }];
  for (const id of ids) {
    const words = calls[id];
    if (words !== undefined) pieces.push({ kind: 'result', message: result(id, words) });
  }
  return pieces;
}

export function refusal(words: string, nudge: string): Piece[] {
  return [
    { kind: 'rejected', message: assistant(text(words)) },
    { kind: 'nudge', message: userMessage(nudge) },
  ];
}

export function assistant(...content: AssistantPart[]): Message {
  return { role: 'assistant', content };
}

export function call(id: string, name = 'read'): AssistantPart {
  return { type: 'tool_call', id, name, args: { path: `${id}.txt` } };
}

export function resultPart(id: string, words: string, name = 'read'): ToolResultPart {
  return { type: 'tool_result', callId: id, name, content: [text(words)] };
}

export function result(id: string, words: string, name = 'read'): Message {
  return { role: 'tool', content: [resultPart(id, words, name)] };
}

/** Ids from 1; the turn rises with every reply unless a piece says its own. */
export function windowOf(...groups: readonly Piece[][]): ContextEntry[] {
  let turn = 0;
  return groups.flat().map((piece, index) => {
    if (piece.message.role === 'assistant') turn++;
    return {
      id: index + 1,
      kind: piece.kind,
      turn: piece.turn ?? turn,
      message: piece.message,
    };
  });
}

function thought(reasoning: string | undefined): AssistantPart[] {
  return reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }];
}

test('a window is numbered densely and turns rise with replies', () => {
  const window = windowOf(input('go'), step({ a: 'one' }), answer('done'));
  assert.deepEqual(
    window.map(({ id, turn, kind }) => [id, turn, kind]),
    [
      [1, 0, 'input'],
      [2, 1, 'reply'],
      [3, 1, 'result'],
      [4, 2, 'reply'],
    ],
  );
});
