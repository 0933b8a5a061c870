import { readFile, rename } from 'node:fs/promises';
import { ForgeError, type Message, messageOf, textOf } from '@forge/core';
import * as z from 'zod';
import type { Fact, MemoryStore } from '../memory/memory-store.ts';
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

/**
 * Writes the last messages of a run, and the facts of a scope if one is named, in one piece.
 * `not_found` without the run.
 */
export async function exportMemory({
  store,
  runId,
  file,
  last = usualLength,
  scope,
}: {
  readonly store: Store;
  readonly runId: string;
  readonly file: string;
  readonly last?: number;
  readonly scope?: string;
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
    facts: scope === undefined ? {} : await factsOf(store.memory, scope),
  });
}

/** A scope holds a bounded number of them. Oldest first, as they would have been written down. */
async function factsOf(memory: MemoryStore, scope: string): Promise<Memory['facts']> {
  const facts: Fact[] = [];
  let after: string | undefined;
  do {
    const page = await memory.facts(scope, { limit: 1_000, ...(after !== undefined && { after }) });
    facts.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return Object.fromEntries(facts.reverse().map(({ key, value }) => [key, value]));
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

/**
 * Remembers the facts of a memory in a scope. One that cannot be kept (too long, too many) does not
 * stop the others; it is told with the reason.
 */
export async function importFacts({
  store,
  scope,
  facts,
  source,
}: {
  readonly store: Store;
  readonly scope: string;
  readonly facts: Memory['facts'];
  readonly source?: string;
}): Promise<{
  readonly remembered: number;
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
}> {
  const refused: { readonly key: string; readonly reason: string }[] = [];
  let remembered = 0;
  for (const [key, value] of Object.entries(facts)) {
    try {
      await store.memory.remember({ scope, key, value, ...(source !== undefined && { source }) });
      remembered += 1;
    } catch (error) {
      if (!ForgeError.is(error, 'invalid_options') && !ForgeError.is(error, 'not_allowed')) {
        throw error;
      }
      refused.push({ key, reason: error.message });
    }
  }
  return { remembered, refused };
}
