import { insertMessage, noSuchRun } from '../sql/insert-message.ts';
import { writeJson } from '../sql/json.ts';
import type { NewMessage } from '../store.ts';
import type { PostgresTx } from './transactions.ts';

const wakes = '$5::bigint = 1';
const sleeps = '(run.lease_owner is null and (run.wake_at is null or run.wake_at > $6::bigint))';

/**
 * As `insertMessage` where nothing is opened again, in one statement. $1 run, $2 kind, $3 payload,
 * $4 source, $5 wakes, $6 now. The row of a run that has not ended is always touched: see `wakeRun`.
 */
const statement = `
  with target as (select id from runs where id = $1),
  arrived as (
    insert into inbox (run_id, kind, payload, source, wakes, at, read_at)
    select id, $2, $3, $4::text, $5::bigint, $6::bigint, null from target
    on conflict (run_id, source) where source is not null do nothing
    returning run_id
  ),
  woken as (
    update runs as run set
      wake_at = case when ${wakes} then least(run.wake_at, $6::bigint) else run.wake_at end,
      due_at = case when ${wakes} and ${sleeps} then $6::bigint else run.due_at end
    from arrived
    where run.id = arrived.run_id and run.state in ('open', 'paused')
  )
  select exists (select 1 from target) as found, exists (select 1 from arrived) as new`;

/** Puts a message into a run's inbox and wakes it. False if that source was heard before. */
export async function sendMessage(
  tx: PostgresTx,
  { runId, ...message }: NewMessage & { readonly runId: string },
): Promise<boolean> {
  if (message.reopens === true) return insertMessage(tx, { runId, ...message });
  const { client, now, wake } = tx;
  const wakes = message.wakes ?? true;
  const { rows } = await client.query<{ found: boolean; new: boolean }>({
    name: 'forge_send',
    text: statement,
    values: [
      runId,
      message.kind,
      writeJson(message.payload),
      message.source ?? null,
      wakes ? 1 : 0,
      now,
    ],
  });
  if (rows[0]?.found !== true) throw noSuchRun(runId);
  if (!rows[0].new) return false;
  if (wakes) wake(runId);
  return true;
}
