import { ForgeError } from '@forge/core';
import type { Selectable } from 'kysely';
import type { RunsTable } from '../schema/tables.ts';
import { freshRun } from '../sql/insert-run.ts';
import { writeJson } from '../sql/json.ts';
import { readRun } from '../sql/readers.ts';
import type { NewRun, RunRow } from '../store.ts';
import type { Outcome } from './batch-queue.ts';
import { toArrays, unnest } from './row-arrays.ts';
import type { PostgresTx } from './transactions.ts';

const runColumns = {
  id: 'text',
  agent: 'text',
  title: 'text',
  tenant: 'text',
  priority: 'bigint',
  parent_id: 'text',
  parent_call_id: 'text',
  root_id: 'text',
  labels: 'text',
  state: 'text',
  seq: 'bigint',
  fence: 'bigint',
  lease_owner: 'text',
  lease_until: 'bigint',
  wake_at: 'bigint',
  due_at: 'bigint',
  strikes: 'bigint',
  lease_wrote: 'bigint',
  turns: 'bigint',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cached_input_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost_nano: 'bigint',
  reason: 'text',
  explanation: 'text',
  dead_reason: 'text',
  dead_explanation: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
  finished_at: 'bigint',
  forked_from: 'text',
  forked_seq: 'bigint',
} as const satisfies Readonly<Record<Exclude<keyof RunsTable, 'top'>, string>>;
const labelColumns = { run_id: 'text', name: 'text', value: 'text' } as const;
const mailColumns = {
  run_id: 'text',
  place: 'bigint',
  kind: 'text',
  payload: 'json',
  source: 'text',
  wakes: 'bigint',
} as const;

const names = Object.keys(runColumns);
const labelsFrom = 1 + names.length;
const mailFrom = labelsFrom + Object.keys(labelColumns).length;
const last = mailFrom + Object.keys(mailColumns).length;

/** Rows whose id is taken are left out, with their labels and messages. */
const statement = `
with made as (
  insert into runs (${names.join(', ')})
  select ${names.join(', ')} from ${unnest(runColumns, { as: 'new', first: 1 })}
  order by id
  on conflict (id) do nothing
  returning *
),
labelled as (
  insert into run_labels (run_id, name, value, created_at)
  select made.id, new.name, new.value, made.created_at
  from ${unnest(labelColumns, { as: 'new', first: labelsFrom })} join made on made.id = new.run_id
),
mailed as (
  insert into inbox (run_id, kind, payload, source, wakes, at, read_at)
  select made.id, new.kind, new.payload, new.source, new.wakes, $${last}::bigint, null
  from ${unnest(mailColumns, { as: 'new', first: mailFrom })} join made on made.id = new.run_id
  order by new.place
  on conflict (run_id, source) where source is not null do nothing
)
select * from made`;

/** A run that is to be made, and about how many bytes it has. */
export interface NewRunOfSize {
  readonly run: NewRun;
  readonly size: number;
}

/** What is wrong with it in itself is said before it goes together with others. */
export function sizedRun(run: NewRun): NewRunOfSize {
  const { id, agent, priority = 0, wakeAt = 0, inbox = [], labels = {} } = run;
  if (id === '' || agent === '') {
    throw new ForgeError('invalid_options', 'A run needs an id and an agent.');
  }
  for (const [name, value] of Object.entries({ priority, wakeAt })) {
    if (Number.isSafeInteger(Math.trunc(value))) continue;
    throw new ForgeError('invalid_options', `createRun: ${name} is ${value}, not a whole number.`);
  }
  const sizes = inbox.map(({ payload }) => writeJson(payload).length);
  return { run, size: sizes.reduce((sum, size) => sum + size, writeJson(labels).length) };
}

/** Makes runs that have no parent, each with its labels and first messages. `run_exists` for an id that is taken. */
export async function createRuns(
  { client, now, wake }: PostgresTx,
  batch: readonly NewRunOfSize[],
): Promise<readonly Outcome<RunRow>[]> {
  const runs = batch.map(({ run }) => run);
  const rows = runs.map((run) => {
    const wakeAt = run.wakeAt === undefined ? now : Math.trunc(run.wakeAt);
    return { ...freshRun(run, now), wake_at: wakeAt, due_at: wakeAt };
  });
  const labels = runs.flatMap(({ id, labels: given = {} }) =>
    Object.entries(given).map(([name, value]) => ({ run_id: id, name, value })),
  );
  const mail = runs.flatMap(({ id, inbox = [] }) => inbox.map((message) => ({ id, ...message })));
  const result = await client.query<Selectable<RunsTable>>({
    name: 'forge_create_runs',
    text: statement,
    values: [
      ...toArrays(runColumns, rows),
      ...toArrays(labelColumns, labels),
      ...toArrays(mailColumns, mail.map(mailRow)),
      now,
    ],
  });
  const made = new Map(result.rows.map((row) => [row.id, readRun(row)]));
  return runs.map(({ id }) => {
    const run = made.get(id);
    if (run === undefined) return { error: runExists(id) };
    if (run.wakeAt !== undefined && run.wakeAt <= now) wake(id);
    return { value: run };
  });
}

type Mail = { readonly id: string } & NonNullable<NewRun['inbox']>[number];

function mailRow({ id, kind, payload, source, wakes = true }: Mail, place: number) {
  return {
    run_id: id,
    place,
    kind,
    payload: writeJson(payload),
    source: source ?? null,
    wakes: wakes ? 1 : 0,
  };
}

function runExists(id: string): ForgeError {
  return new ForgeError('run_exists', `There is a run "${id}" already. Use another id.`);
}
