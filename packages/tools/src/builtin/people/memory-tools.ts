import { defineTool, type Tool, type ToolContext, ToolResolutionError } from '@forge/core';
import * as z from 'zod';
import type { Results } from '../../results/create-results.ts';

/** Facts that outlive runs, as far as the tools need them. `MemoryStore` of @forge/store is one. */
export interface Memory {
  remember(fact: {
    readonly scope: string;
    readonly key?: string;
    readonly value: string;
    readonly source?: string;
  }): Promise<{ readonly fact: MemoryFact; readonly outcome: 'new' | 'changed' | 'same' }>;
  recall(scope: string, key: string): Promise<MemoryFact | undefined>;
  search(options: {
    readonly scope: string;
    readonly query: string;
    readonly limit?: number;
  }): Promise<readonly MemoryFact[]>;
  forget(scope: string, key: string): Promise<boolean>;
}

export interface MemoryFact {
  readonly key: string;
  readonly value: string;
  readonly updatedAt: number;
}

export interface MemoryOptions {
  readonly store: Memory;
  /** Whose memory it is, such as `agent:writer`; nothing of another scope is ever seen. */
  readonly scope: string | ((context: ToolContext) => string);
}

const key = z.string().min(1).max(200).describe('A short name, such as "deploy-host".');

/**
 * Tools to keep facts beyond the run and find them again. What they give is marked as data: a run
 * may have remembered what a stranger told it.
 */
export function memoryTools({ store, scope }: MemoryOptions, results: Results): Tool[] {
  const show = (facts: readonly MemoryFact[]) =>
    results.show({ content: facts.map(describe).join('\n'), untrusted: 'memory' });
  const scopeOf = typeof scope === 'string' ? () => scope : scope;
  const remember = defineTool({
    name: 'remember',
    description:
      'Keeps a fact for later runs. The same key again changes it. Keep what was hard to find out, not what the files say.',
    input: z.object({
      value: z
        .string()
        .min(1)
        .max(8_000)
        .describe('The fact, in words that make sense on their own.'),
      key: key.optional(),
    }),
    idempotent: true,
    run: async ({ value, key: name }, context) => {
      const fact = { scope: scopeOf(context), value, source: context.runId };
      const { fact: kept, outcome } = await store.remember({ ...fact, ...(name && { key: name }) });
      const what = { new: 'Remembered', changed: 'Changed', same: 'Known already' }[outcome];
      return `${what}, as ${JSON.stringify(kept.key)}.`;
    },
  });
  const recall = defineTool({
    name: 'recall',
    description: 'Gives the fact under a key.',
    input: z.object({ key }),
    idempotent: true,
    run: async ({ key: name }, context) => {
      const fact = await store.recall(scopeOf(context), name);
      if (fact !== undefined) return show([fact]);
      throw new ToolResolutionError(
        `Nothing is remembered as ${JSON.stringify(name)}. Look for it by its words with search_memory.`,
      );
    },
  });
  const search = defineTool({
    name: 'search_memory',
    description: 'Finds remembered facts by words that are in them.',
    input: z.object({
      query: z.string().min(1).max(1_000),
      limit: z.int().min(1).max(50).optional().describe('Default 10.'),
    }),
    idempotent: true,
    run: async ({ query, limit = 10 }, context) => {
      const facts = await store.search({ scope: scopeOf(context), query, limit });
      return facts.length === 0 ? 'Nothing is remembered about that.' : show(facts);
    },
  });
  const forget = defineTool({
    name: 'forget',
    description: 'Takes a fact out of memory.',
    input: z.object({ key }),
    idempotent: true,
    run: async ({ key: name }, context) =>
      (await store.forget(scopeOf(context), name))
        ? `Forgot ${JSON.stringify(name)}.`
        : `Nothing was remembered as ${JSON.stringify(name)}.`,
  });
  return [remember, recall, search, forget];
}

function describe({ key: name, value, updatedAt }: MemoryFact): string {
  return `${name} (${new Date(updatedAt).toISOString().slice(0, 10)}): ${value}`;
}
