import { append, listOf } from '../append-list.ts';
import type { ContextEntry, EntryKind } from '../context/entry.ts';
import { estimateMessageTokens } from '../context/estimate-tokens.ts';
import type { Message } from '../messages/message.ts';
import type { RunState } from './state.ts';

/** The state with one more message in its window. */
export function push(state: RunState, kind: EntryKind, message: Message): RunState {
  const entry: ContextEntry = { id: state.nextEntry, kind, turn: state.turn, message };
  return {
    ...state,
    window: append(state.window, entry),
    windowTokens: state.windowTokens + estimateMessageTokens(message),
    nextEntry: state.nextEntry + 1,
  };
}

export function pushInputs(state: RunState, messages: readonly Message[]): RunState {
  return messages.reduce((next, message) => push(next, 'input', message), state);
}

/** The window was rewritten: count it again. */
export function rewindow(state: RunState, window: readonly ContextEntry[]): RunState {
  return {
    ...state,
    window: listOf(window),
    windowTokens: window.reduce((sum, entry) => sum + estimateMessageTokens(entry.message), 0),
  };
}
