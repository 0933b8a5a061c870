import type pg from 'pg';

/** The numbers of transactions under way that have locked the table, and the next that will be given. */
const statement = `
  select pg_snapshot_xmax(pg_current_snapshot())::text as next, array(
    select numbers.transactionid::text
    from pg_locks as tables join pg_locks as numbers
      on numbers.virtualtransaction = tables.virtualtransaction and numbers.locktype = 'transactionid'
        and numbers.mode = 'ExclusiveLock' and numbers.granted
    where tables.locktype = 'relation' and tables.relation = 'events'::regclass and tables.granted
      and tables.database = (select oid from pg_database where datname = current_database())
      and tables.mode <> 'AccessShareLock'
  ) as running`;

/**
 * The oldest transaction under way that may have written events; the next to come if there is none.
 * Whoever writes events has locked their table before it had a number. So a long transaction that is
 * about something else, maybe in another database, holds up nobody.
 *
 * The snapshot is taken before the locks are looked at. A writer that ended in between is missing
 * here, and is seen by whatever is read after this.
 */
export async function findOldestWriter(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ next: string; running: string[] }>({
    name: 'forge_oldest',
    text: statement,
  });
  return oldestOf(BigInt(rows[0]?.next ?? 0), (rows[0]?.running ?? []).map(BigInt)).toString();
}

const half = 1n << 31n;
const round = 1n << 32n;

/**
 * Locks tell only the lower 32 bits of a number. It is the one nearest to `next`: those a little
 * ahead were given since, the others before, maybe in the round before.
 */
export function oldestOf(next: bigint, running: readonly bigint[]): bigint {
  let oldest = next;
  for (const low of running) {
    const inThisRound = next - (next % round) + low;
    const number = nearest(inThisRound, next);
    if (number < oldest) oldest = number;
  }
  return oldest;
}

function nearest(number: bigint, next: bigint): bigint {
  if (number - next >= half) return number - round;
  if (next - number > half) return number + round;
  return number;
}
