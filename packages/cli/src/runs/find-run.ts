import { ForgeError } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { RunFilter, RunRow, Store } from '@forge/store';
import { printable } from '../printable.ts';
import { familyRuns } from './family.ts';
import { inDate } from './words.ts';

const page = 500;
/** How many of the newest runs are looked through for the beginning of an id. */
const looked = 10_000;
const shortest = 4;
const shown = 10;

/** The run with that id, or the only one whose id begins like that. */
export async function findRun(store: Store, id: string): Promise<RunRow> {
  const exact = id === '' ? undefined : await store.run(id);
  if (exact !== undefined) return exact;
  const found = id.length < shortest ? [] : await beginningWith(store, id);
  const [only, ...others] = found;
  if (only === undefined) {
    const hint =
      id.length < shortest && id !== ''
        ? ` The beginning of an id needs ${shortest} characters.`
        : '';
    throw new ForgeError(
      'not_found',
      `Run not found: ${printable(id, 80)}.${hint} "forge list" shows what there is.`,
    );
  }
  if (others.length === 0) return only;
  const list = found
    .slice(0, shown)
    .map((run) => `  ${run.id}  ${inDate(run.createdAt)}  ${titleOf(run)}`);
  const more = found.length > shown ? `\n  … and ${found.length - shown} more` : '';
  throw new ForgeError(
    'invalid_options',
    `${found.length} runs begin with ${printable(id, 80)}. Write more of the id:\n${list.join('\n')}${more}`,
  );
}

/**
 * Runs at the top are looked through first: they are few, and an id as people see it begins with that
 * of one. `3f2a91c0.2.cfcd` is a run below the one that begins with 3f2a91c0: see `shortId`.
 */
async function beginningWith(store: Store, prefix: string): Promise<readonly RunRow[]> {
  const [start = '', ...below] = prefix.split('.');
  const top = await lookThrough(store, { topOnly: true }, (id) => id.startsWith(start));
  if (below.length === 0 && top.length > 0) return top;
  const found: RunRow[] = [];
  for (const { id } of top.slice(0, shown)) {
    const rest = `.${below.join('.')}`;
    const family = await familyRuns(store, id);
    found.push(...family.filter((run) => run.id.slice(id.length).startsWith(rest)));
  }
  if (found.length === 0) return lookThrough(store, {}, (id) => id.startsWith(prefix));
  // What is below one of them begins like it too.
  const depth = Math.min(...found.map(({ id }) => id.split('.').length));
  return found.filter(({ id }) => id.split('.').length === depth);
}

async function lookThrough(
  store: Store,
  filter: RunFilter,
  fits: (id: string) => boolean,
): Promise<readonly RunRow[]> {
  const found: RunRow[] = [];
  let after: string | undefined;
  for (let seen = 0; seen < looked; seen += page) {
    const { items, next } = await store.runs(filter, { limit: page, ...(after && { after }) });
    found.push(...items.filter(({ id }) => fits(id)));
    if (next === undefined) break;
    after = next;
  }
  return found;
}

/** What a run is about, in a line. */
export function titleOf({ title, agent }: Pick<RunRow, 'title' | 'agent'>): string {
  return printable(title ?? bareAgent(agent), 200);
}
