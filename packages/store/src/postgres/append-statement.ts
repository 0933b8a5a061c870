import { dailyColumns } from '../projections/daily-totals.ts';
import { takeNumber } from './receipts.ts';
import { type RowColumns, unnest } from './row-arrays.ts';

const dailyTypes = Object.fromEntries(dailyColumns.map((column) => [column, 'bigint']));

/** One row per step. */
export const stepColumns = {
  id: 'text',
  fence: 'bigint',
  seq: 'bigint',
  count: 'bigint',
  at: 'bigint',
  turns: 'bigint',
  input: 'bigint',
  output: 'bigint',
  cached: 'bigint',
  cache_writes: 'bigint',
  reasoning: 'bigint',
  cost: 'bigint',
  ends: 'boolean',
  reason: 'text',
  explanation: 'text',
  progress: 'bigint',
  state: 'text',
  finished_at: 'bigint',
} as const satisfies RowColumns;

export const eventColumns = {
  run_id: 'text',
  seq: 'bigint',
  type: 'text',
  data: 'json',
  blob: 'text',
} as const satisfies RowColumns;

export const blobColumns = {
  run_id: 'text',
  hash: 'text',
  bytes: 'bytea',
} as const satisfies RowColumns;
export const readColumns = { run_id: 'text', id: 'bigint' } as const satisfies RowColumns;
export const timerColumns = {
  run_id: 'text',
  name: 'text',
  due_at: 'bigint',
} as const satisfies RowColumns;
export const dayColumns = {
  run_id: 'text',
  day: 'text',
  model: 'text',
  ...dailyTypes,
} satisfies RowColumns;

/** What only few steps have comes last: a statement without it has the same places. */
const parts = [
  ['steps', stepColumns],
  ['logged', eventColumns],
  ['counted', dayColumns],
  ['consumed', readColumns],
  ['payloads', blobColumns],
  ['timed', timerColumns],
] as const;

/** The receipt's three parts and the shard come first. */
const firstPlace = 5;

function tables(): Readonly<Record<(typeof parts)[number][0], string>> {
  let first = firstPlace;
  const named = parts.map(([as, columns]) => {
    const table = unnest(columns, { as, first });
    first += Object.keys(columns).length;
    return [as, table];
  });
  return Object.fromEntries(named);
}

const from = tables();
const ends = 'steps.finished_at is not null';
/**
 * A run does not end over what its worker has not read. What was sent since this statement began is
 * not in the inbox it sees, but has changed the run's row: that is then not the row it sees without
 * a lock.
 */
const isUnread = `(${ends} and (
    runs.xmin is distinct from (select seen.xmin from runs as seen where seen.id = runs.id)
    or exists (
      select 1 from inbox where inbox.run_id = runs.id and inbox.read_at is null
        and inbox.id not in (select consumed.id from ${from.consumed}))))`;
/** A run that ends lets go of its lease. */
const unlessOver = (column: string) =>
  `${column} = case when ${ends} then null else run.${column} end`;
const added = (column: string, value: string) =>
  `${column} = case when ${value} is null then run.${column} else coalesce(run.${column}, 0) + ${value} end`;

/** Takes the number of the receipt, or relies on the transaction having done so. */
const takes = `${takeNumber({ writer: '$1', slot: '$2', n: '$3' })} returning n`;
const took = 'select $1::text, $2::bigint, $3::bigint';

/** For a batch with large payloads or timers. */
const rare = `,
kept as (
  insert into blobs (hash, bytes, kept)
  select distinct on (payloads.hash) payloads.hash, payloads.bytes, 0
  from ${from.payloads} join stepped on stepped.id = payloads.run_id
  order by payloads.hash
  -- Changes nothing but holds the row: a prune must not remove what is used from now on.
  on conflict (hash) do update set kept = blobs.kept
),
cleared as (
  delete from timers using ${from.timed} join stepped on stepped.id = timed.run_id
  where timed.due_at is null and timers.run_id = timed.run_id and timers.name = timed.name
),
set_timers as (
  insert into timers (run_id, name, due_at)
  select timed.run_id, timed.name, timed.due_at
  from ${from.timed} join stepped on stepped.id = timed.run_id
  where timed.due_at is not null
  on conflict (run_id, name) do update set due_at = excluded.due_at
)`;

/**
 * Many steps in one statement and one commit, each on its own condition. The rows of runs are locked
 * in the order of their ids, so that two such statements never wait for each other in a circle; then
 * only steps whose run is as the writer knew it are written, with all that is theirs.
 */
const appendBy = ({ number, more, gives }: Record<'number' | 'more' | 'gives', string>) => `
with taken as (${number}),
found as materialized (
  select runs.id, steps.at, ${isUnread} as unread
  from taken, ${from.steps} join runs on runs.id = steps.id
  where runs.fence = steps.fence and runs.seq = steps.seq and runs.lease_owner is not null
  order by runs.id
  for no key update of runs
),
stepped as (
  update runs as run set
    seq = run.seq + steps.count,
    updated_at = steps.at,
    turns = run.turns + steps.turns,
    input_tokens = run.input_tokens + steps.input,
    output_tokens = run.output_tokens + steps.output,
    ${added('cached_input_tokens', 'steps.cached')},
    ${added('cache_write_tokens', 'steps.cache_writes')},
    ${added('reasoning_tokens', 'steps.reasoning')},
    cost_nano = run.cost_nano + steps.cost,
    reason = case when steps.ends then steps.reason else run.reason end,
    explanation = case when steps.ends then steps.explanation else run.explanation end,
    strikes = case when steps.progress = 1 then 0 else run.strikes end,
    lease_wrote = greatest(run.lease_wrote, steps.progress),
    state = coalesce(steps.state, run.state),
    ${unlessOver('lease_owner')},
    ${unlessOver('lease_until')},
    ${unlessOver('wake_at')},
    ${unlessOver('due_at')},
    finished_at = case when steps.state is null then run.finished_at else steps.finished_at end
  from found join ${from.steps} on steps.id = found.id
  where run.id = found.id and not found.unread
  returning run.id, run.agent, run.root_id, found.at
),
written as (
  insert into events (run_id, seq, v, type, at, data, blob)
  select logged.run_id, logged.seq, 1, logged.type, stepped.at, logged.data, logged.blob
  from ${from.logged} join stepped on stepped.id = logged.run_id
  order by logged.run_id, logged.seq
),
read as (
  update inbox set read_at = stepped.at
  from ${from.consumed} join stepped on stepped.id = consumed.run_id
  where inbox.id = consumed.id and inbox.run_id = consumed.run_id and inbox.read_at is null
),
days as (
  insert into daily_shards (day, agent, model, shard, ${dailyColumns.join(', ')})
  select counted.day, stepped.agent, counted.model, $4::bigint, ${dailyColumns.map((column) => `sum(counted.${column})`).join(', ')}
  from ${from.counted} join stepped on stepped.id = counted.run_id
  group by counted.day, stepped.agent, counted.model
  order by counted.day, stepped.agent, counted.model
  on conflict (day, agent, model, shard) do update set
    ${dailyColumns.map((column) => `${column} = daily_shards.${column} + excluded.${column}`).join(', ')}
)${more}
${gives} from stepped`;

/** One row for a whole batch: nearly always all of it is written, and nothing more has to be said. */
const summary = `select
  case when count(*) < cardinality($${firstPlace}::text[]) then coalesce(array_agg(id), '{}') end as ids`;
const each = 'select id, agent, root_id';

/** As a transaction of its own, and as part of one; without what only few steps have. */
export const appendStatement = appendBy({ number: takes, more: rare, gives: summary });
export const appendPlainly = appendBy({ number: takes, more: '', gives: summary });
export const appendWithin = appendBy({ number: took, more: rare, gives: each });
