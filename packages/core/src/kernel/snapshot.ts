import { itemsOf, listOf } from '../append-list.ts';
import { isJsonObject } from '../json.ts';
import { initialState, type RunState } from './state.ts';

/**
 * Which shape of state a snapshot holds. To be raised with every change of `RunState`: a snapshot
 * of another version is not read, the log is folded instead.
 */
export const snapshotVersion = '4';

/** The state as text. What `thawState` makes of it decides and goes on exactly as this one does. */
export function freezeState(state: RunState): string {
  return JSON.stringify({ ...state, window: itemsOf(state.window) });
}

/** A state from text of this version, or undefined if it is none: then the log has to be folded. */
export function thawState(text: string): RunState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || !Array.isArray(value.window)) return undefined;
  if (Object.keys(initialState).some((key) => !(key in value))) return undefined;
  // Written by `freezeState` of this version, which is part of the key it is stored under.
  const frozen = value as unknown as Omit<RunState, 'window'> & { window: never[] };
  return { ...frozen, window: listOf(frozen.window) };
}
