import type { Selectable } from 'kysely';
import { textWithNul } from '../as-text.ts';
import type { InboxTable } from '../schema/tables.ts';
import { pageSize } from '../sql/pages.ts';
import { readMessage } from '../sql/readers.ts';
import type { InboxMessage } from '../store.ts';
import { BatchQueue, type Outcome } from './batch-queue.ts';
import type { Transactions } from './transactions.ts';

interface Look {
  readonly runId: string;
  readonly limit: number;
}

/** As `listInbox`, for several runs. $1 runs, $2 how many of each. */
const statement = `
  select mail.* from unnest($1::text[], $2::bigint[]) as looks (run_id, most), lateral (
    select * from inbox where inbox.run_id = looks.run_id and read_at is null
    order by id limit looks.most
  ) as mail
  order by mail.id`;

const mostRuns = 100;
const mostMessages = 5_000;
const mostWaiting = 10_000;
const flights = 2;

/** Reads what runs have not read yet. Every session looks as it begins: those at the same time share a query. */
export function createInboxReader({
  read,
}: Pick<Transactions, 'read'>): (
  runId: string,
  limit: number | undefined,
) => Promise<readonly InboxMessage[]> {
  async function run(looks: readonly Look[]): Promise<readonly Outcome<readonly InboxMessage[]>[]> {
    const values = [looks.map(({ runId }) => runId), looks.map(({ limit }) => limit)];
    const { rows } = await read(({ client }) =>
      client.query<Selectable<InboxTable>>({ name: 'forge_inboxes', text: statement, values }),
    );
    const mail = new Map<string, InboxMessage[]>();
    for (const row of rows) {
      const found = mail.get(row.run_id);
      if (found === undefined) mail.set(row.run_id, [readMessage(row)]);
      else found.push(readMessage(row));
    }
    return looks.map(({ runId }) => ({ value: mail.get(runId) ?? [] }));
  }
  const queue = new BatchQueue<Look, readonly InboxMessage[]>({
    flights,
    mostItems: mostRuns,
    mostSize: mostMessages,
    mostWaiting,
    keyOf: ({ runId }) => runId,
    sizeOf: ({ limit }) => limit,
    run,
  });
  return async (runId, limit) => {
    // Asking for it would fail all that share the query.
    if (runId.includes('\0')) throw textWithNul();
    const look = { runId, limit: pageSize(limit) };
    return queue.add(() => look);
  };
}
