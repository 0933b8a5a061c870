import type { Redactor } from '@forge/core';
import { asText } from '../as-text.ts';
import type { Engine } from '../engine.ts';
import {
  findFact,
  forgetFacts,
  listFacts,
  readFact,
  readFacts,
  rememberFact,
} from '../sql/facts.ts';
import { pageSize } from '../sql/pages.ts';
import { checkFact } from './check-fact.ts';
import { mostQueryWords } from './fact-index.ts';
import type { MemoryStore } from './memory-store.ts';
import { rankFacts } from './rank-facts.ts';
import { wordsOf } from './words.ts';

const mostFound = 100;
const usuallyFound = 10;
/** More of a query than this is not read. */
const longestQuery = 2_000;

export function createMemory(
  { read, write, factIndex: index }: Pick<Engine, 'read' | 'write' | 'factIndex'>,
  redactor: Redactor | undefined,
): MemoryStore {
  return {
    async remember(given) {
      const fact = checkFact(given, redactor);
      return write((tx) => rememberFact(tx, { fact, index }));
    },
    recall: (scope, key) =>
      read(async (db) => {
        const row = await findFact(db, { scope, key });
        return row && readFact(row);
      }),
    async search({ scope, query, limit = usuallyFound }) {
      const words = wordsOf(query.slice(0, longestQuery)).slice(0, mostQueryWords);
      const most = Math.min(pageSize(limit), mostFound);
      return read(async (db) => {
        const hits = await index.find(db, { scope: asText(scope), words });
        return readFacts(db, rankFacts(hits, { words: words.length, limit: most }));
      });
    },
    forget: (scope, key) =>
      write(async (tx) => (await forgetFacts(tx, { which: { scope, key }, index })) > 0),
    facts: (scope, page) => read((db) => listFacts(db, { scope, ...page })),
    forgetOlder: ({ before, scope, limit }) =>
      write((tx) =>
        forgetFacts(tx, { which: { before, scope, limit: pageSize(limit ?? 1_000) }, index }),
      ),
  };
}
