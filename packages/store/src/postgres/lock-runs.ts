import type pg from 'pg';

/** In one order for all, so that two runs that speak to each other do not wait in a circle. */
export async function lockRuns(client: pg.ClientBase, ids: readonly string[]): Promise<void> {
  if (ids.length < 2) return;
  const text = 'select 1 from runs where id = any ($1::text[]) order by id for no key update';
  await client.query({ name: 'forge_lock', text, values: [ids] });
}
