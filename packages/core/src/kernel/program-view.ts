import type { ProgramCall, ProgramView } from '../agents/program.ts';
import type { ContextEntry } from '../context/entry.ts';
import { isJsonObject } from '../json.ts';
import { textOf } from '../messages/message.ts';
import type { RunState } from './state.ts';

/** What is read of a window so far. */
interface Reading {
  entries: number;
  readonly input: string[];
  readonly calls: ProgramCall[];
  /** Where the call of an id stands. */
  readonly places: Map<string, number>;
}

/**
 * A window only grows at its end, and a program is asked at every result of what may be thousands of
 * calls: what was read once is not read again. Nobody can tell but by the time it takes.
 */
const readings = new WeakMap<readonly ContextEntry[], Reading>();

/** What a program is shown: read off the window, which nothing shortens for a program. */
export function programView({ window: { buffer, length } }: RunState): ProgramView {
  const known = readings.get(buffer);
  const isBefore = known !== undefined && known.entries <= length;
  const reading = isBefore ? known : { entries: 0, input: [], calls: [], places: new Map() };
  for (const entry of buffer.slice(reading.entries, length)) read(reading, entry);
  reading.entries = length;
  readings.set(buffer, reading);
  return { input: [...reading.input], calls: [...reading.calls] };
}

/** Ids are of the program's choice, and used once. */
function read({ input, calls, places }: Reading, { kind, message }: ContextEntry): void {
  if (kind === 'input') input.push(textOf(message));
  if (message.role === 'assistant') {
    for (const part of message.content) {
      if (part.type !== 'tool_call') continue;
      const { id, name, args } = part;
      places.set(id, calls.length);
      calls.push({ id, name, args: isJsonObject(args) ? args : {}, status: 'open', text: '' });
    }
  } else if (message.role === 'tool') {
    for (const part of message.content) {
      const place = places.get(part.callId) ?? -1;
      const call = calls[place];
      if (call?.status !== 'open') continue;
      const status = part.isError === true ? 'failed' : 'ok';
      calls[place] = { ...call, status, text: textOf(part) };
    }
  }
}
