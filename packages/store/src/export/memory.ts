import { readFile, rename } from 'node:fs/promises';
import { ForgeError, type Message, messageOf, textOf } from '@forge/core';
import * as z from 'zod';
import { noSuchRun } from '../no-such-run.ts';
import { isBroken } from '../sql/read-events.ts';
import type { Store } from '../store.ts';
import { messagesIn } from './message-lines.ts';
import { writeJsonFile } from './write-atomically.ts';

const memorySchema = z.object({
  messages: z.array(
    z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }),
  ),
  facts: z.record(z.string(), z.string()),
});

/** `memory.json`: the last messages of a conversation and what was to be remembered. */
export type Memory = z.infer<typeof memorySchema>;

const usualLength = 20;
const page = 500;

/** Writes the last messages of a run and the facts, in one piece. `not_found` without the run. */
export async function exportMemory({
  store,
  runId,
  file,
  last = usualLength,
  facts = {},
}: {
  readonly store: Store;
  readonly runId: string;
  readonly file: string;
  readonly last?: number;
  readonly facts?: Readonly<Record<string, string>>;
}): Promise<void> {
  const run = await store.run(runId);
  if (run === undefined) throw noSuchRun(runId);
  const messages: Memory['messages'] = [];
  // From the end, a page at a time: a long conversation costs no more than a short one.
  for (let end = run.seq; end > 0 && messages.length < last; end -= page) {
    const after = Math.max(0, end - page);
    const log = await store.events(runId, { after, limit: end - after });
    messages.unshift(
      ...log.flatMap((event) => (isBroken(event) ? [] : messagesIn(event).flatMap(toMemory))),
    );
  }
  await writeJsonFile(file, {
    messages: last > 0 ? messages.slice(-last) : [],
    facts: { ...facts },
  });
}

/** What was said; calls and results are no part of the old memory. */
function toMemory(message: Message): Memory['messages'] {
  if (message.role === 'tool') return [];
  const content = textOf(message);
  return content === '' ? [] : [{ role: message.role, content }];
}

/**
 * Reads a memory. Without the file it is empty; a damaged one is put aside under another name, which
 * is told, and the memory is empty.
 */
export async function importMemory(
  file: string,
): Promise<{ readonly memory: Memory; readonly setAside?: string }> {
  const empty = { messages: [], facts: {} };
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { memory: empty };
    throw new ForgeError('not_found', `${file} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const result = memorySchema.safeParse(parse(text));
  if (result.success) return { memory: result.data };
  const setAside = `${file}.damaged`;
  await rename(file, setAside);
  return { memory: empty, setAside };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
