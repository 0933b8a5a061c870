import { canonicalJson, isJsonObject, type JsonObject } from '@forge/core';
import type { Wire } from '@forge/models';
import type { Peek } from '../request/peek-request.ts';
import { skipSpace, skipValue } from '../request/skip-json.ts';

type Calls = readonly { readonly name: string; readonly args: JsonObject }[];

/** A loop has at most so many turns; its last one is that far back. */
const longestLoop = 3;
/** Marks that are looked at; assistant messages without calls may have them too (`null`). */
const mostMarks = 16;
const mark = Buffer.from('"tool_calls"');

/**
 * Whether these calls may repeat one of the last turns of the history, which they would have to in
 * order to close a loop. Reads those turns alone, off the bytes. True where it cannot tell.
 */
export function mayRepeat(
  { name }: Wire,
  { bytes, peek, calls }: { readonly bytes: Buffer; readonly peek: Peek; readonly calls: Calls },
): boolean {
  const span = peek.span('messages');
  // Functions from before there were tools are called under another name.
  const isOld = peek.span('functions') !== undefined;
  if (name !== 'openai-chat' || span === undefined || isOld) return true;
  const history = bytes.subarray(span[0], span[1]);
  // One turn before this one is no loop yet.
  if (history.indexOf(mark) === history.lastIndexOf(mark)) return false;
  let turns = 0;
  let at = history.length;
  for (let marks = 0; turns < longestLoop; marks++) {
    if (marks === mostMarks) return true;
    at = at === 0 ? -1 : history.lastIndexOf(mark, at - 1);
    if (at === -1) return false;
    const turn = readTurn(history, at + mark.length);
    if (turn === undefined) return true;
    if (turn.length === 0) continue;
    turns += 1;
    if (areSame(turn, calls)) return true;
  }
  return false;
}

/** The calls after a mark, none for `null`; undefined if it is no key of calls. */
function readTurn(bytes: Buffer, after: number): readonly unknown[] | undefined {
  const colon = skipSpace(bytes, after);
  if (bytes[colon] !== COLON) return undefined;
  const start = skipSpace(bytes, colon + 1);
  const end = skipValue(bytes, start);
  if (end === -1) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end));
    return value === null ? [] : Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function areSame(turn: readonly unknown[], calls: Calls): boolean {
  return turn.length === calls.length && turn.every((call, at) => isSame(call, calls[at]));
}

function isSame(call: unknown, other: Calls[number] | undefined): boolean {
  const called = isJsonObject(call) ? call.function : undefined;
  if (!isJsonObject(called) || other === undefined || called.name !== other.name) return false;
  try {
    const args: unknown = JSON.parse(String(called.arguments));
    return isJsonObject(args) && canonicalJson(args) === canonicalJson(other.args);
  } catch {
    return false; // A malformed call of an old turn matches no later one.
  }
}

const COLON = 0x3a;
