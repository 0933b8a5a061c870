import { isJsonObject, type Tool } from '@forge/core';

/** Tools that can be found by words. */
export interface ToolIndex {
  /** The best first; equally good ones by name, so that the same question has the same answer. */
  find(query: string, most: number): Tool[];
}

/** The usual constants of BM25: how soon repetition stops counting, how much length does. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** A word in a tool's name says more than one in its description. */
const nameWeight = 3;
const mostWords = 400;

interface Entry {
  readonly tool: Tool;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

export function createToolIndex(tools: readonly Tool[]): ToolIndex {
  const entries = tools.map(readEntry);
  const averageLength =
    entries.reduce((sum, { length }) => sum + length, 0) / (entries.length || 1);
  const holders = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const word of entry.counts.keys()) {
      const known = holders.get(word);
      if (known === undefined) holders.set(word, [entry]);
      else known.push(entry);
    }
  }
  return {
    find(query, most) {
      const scores = new Map<Entry, number>();
      for (const word of new Set(wordsOf(query))) {
        const found = holders.get(word) ?? [];
        const rarity = Math.log(1 + (entries.length - found.length + 0.5) / (found.length + 0.5));
        for (const entry of found) {
          const count = entry.counts.get(word) ?? 0;
          const damping = 1 - lengthWeight + (lengthWeight * entry.length) / averageLength;
          const score = (rarity * count * (saturation + 1)) / (count + saturation * damping);
          scores.set(entry, (scores.get(entry) ?? 0) + score);
        }
      }
      return [...scores]
        .sort(
          ([a, left], [b, right]) => right - left || compare(a.tool.spec.name, b.tool.spec.name),
        )
        .slice(0, most)
        .map(([{ tool }]) => tool);
    },
  };
}

function readEntry(tool: Tool): Entry {
  const { name, description, inputSchema } = tool.spec;
  const counts = new Map<string, number>();
  let length = 0;
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += weight;
    }
  };
  add(wordsOf(name), nameWeight);
  add(wordsOf(description), 1);
  const properties = isJsonObject(inputSchema) ? inputSchema.properties : undefined;
  if (isJsonObject(properties)) add(wordsOf(Object.keys(properties).join(' ')), 1);
  return { tool, counts, length };
}

/** Lower case, split at case changes, and without the plural: `listFiles` is found by "list file". */
function wordsOf(text: string): string[] {
  const words = text
    .slice(0, 20_000)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords);
  return words.map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
