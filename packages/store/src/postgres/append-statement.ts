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
  data: 'text',
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
export const dayColumns = { run_id: 'text', day: 'text', ...dailyTypes } satisfies RowColumns;

const parts = [
  ['steps', stepColumns],
  ['logged', eventColumns],
  ['payloads', blobColumns],
  ['consumed', readColumns],
  ['timed', timerColumns],
  ['counted', dayColumns],
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
const added = (column: string, value: string) =>
  `${column} = case when ${value} is null then run.${column} else coalesce(run.${column}, 0) + ${value} end`;

/** Takes the number of the receipt, or relies on the transaction having done so. */
const takes = `${takeNumber({ writer: '$1', slot: '$2', n: '$3' })} returning n`;
const took = 'select $1::text, $2::bigint, $3::bigint';

/**
 * Many steps in one statement and one commit, each on its own condition. The rows of runs are locked
 * in the order of their ids, so that two such statements never wait for each other in a circle; then
 * only steps whose run is as the writer knew it are written, with all that is theirs. Gives the ids
 * of those.
 */
const appendBy = (number: string) => `
with taken as (${number}),
found as materialized (
  select runs.id, steps.at
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
    finished_at = case when steps.state is null then run.finished_at else steps.finished_at end
  from found join ${from.steps} on steps.id = found.id
  where run.id = found.id
  returning run.id, run.agent, run.root_id, found.at
),
kept as (
  insert into blobs (hash, bytes, kept)
  select distinct on (payloads.hash) payloads.hash, payloads.bytes, 0
  from ${from.payloads} join stepped on stepped.id = payloads.run_id
  order by payloads.hash
  -- Changes nothing but holds the row: a prune must not remove what is used from now on.
  on conflict (hash) do update set kept = blobs.kept
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
),
days as (
  insert into daily_shards (day, agent, shard, ${dailyColumns.join(', ')})
  select counted.day, stepped.agent, $4::bigint, ${dailyColumns.map((column) => `sum(counted.${column})`).join(', ')}
  from ${from.counted} join stepped on stepped.id = counted.run_id
  group by counted.day, stepped.agent
  order by counted.day, stepped.agent
  on conflict (day, agent, shard) do update set
    ${dailyColumns.map((column) => `${column} = daily_shards.${column} + excluded.${column}`).join(', ')}
)
select id, agent, root_id from stepped`;

/** As a transaction of its own, and as part of one. */
export const appendStatement = appendBy(takes);
export const appendWithin = appendBy(took);
