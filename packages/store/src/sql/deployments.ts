import { ForgeError } from '@forge/core';
import { type Kysely, type SqlBool, sql, type Updateable } from 'kysely';
import type {
  DeploymentChange,
  DeploymentRow,
  DeploymentState,
  DeploymentStore,
  NewDeployment,
} from '../deployments/deployment-store.ts';
import type { WriteTx } from '../engine.ts';
import type { DeploymentsTable, Tables } from '../schema/tables.ts';
import type { Page } from '../store.ts';
import { writeJson } from './json.ts';
import { pageSize, readPlace, toPage } from './pages.ts';
import { readDeployment, readInt } from './readers.ts';

/** As the index says it: with a parameter in its place SQLite would not use it. */
const isLive = sql<SqlBool>`state = 'live'`;

export async function beginDeployment(
  { db }: WriteTx,
  { id, project, target, commit, startedAt, tenant, runId, replaces }: NewDeployment,
): Promise<DeploymentRow> {
  await db
    .insertInto('deployments')
    .values({
      id,
      project,
      target,
      tenant: tenant ?? '',
      commit_id: commit,
      state: 'building',
      replaces: replaces ?? null,
      run_id: runId ?? null,
      detail: '{}',
      started_at: Math.trunc(startedAt),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await db.selectFrom('deployments').selectAll().where('id', '=', id).execute();
  return readDeployment(row[0] ?? missing(id));
}

export async function changeDeployment(
  tx: WriteTx,
  {
    id,
    from,
    change,
    alsoReplaces,
  }: {
    readonly id: string;
    readonly from: readonly DeploymentState[];
    readonly change: DeploymentChange;
    readonly alsoReplaces: boolean;
  },
): Promise<DeploymentRow> {
  const { db } = tx;
  if (alsoReplaces || change.state === 'live') await holdTraffic(tx, id);
  const before = await getDeployment(db, id);
  if (before === undefined) return missing(id);
  if (!from.includes(before.state)) throw changedMeanwhile(before, from);
  if (alsoReplaces) await replaceOthers(tx, before);
  else if (change.state === 'live') await checkNoOther(db, before);

  const row = await db
    .updateTable('deployments')
    .set((eb) => ({ started_at: eb.ref('started_at'), ...columnsOf(change) }))
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw changedMeanwhile(before, from);
  return readDeployment(row);
}

/**
 * Who is to have the traffic is settled by one at a time: two that look side by side would each find
 * that nobody has it. The row is held until the transaction ends.
 */
async function holdTraffic({ db, now }: WriteTx, id: string): Promise<void> {
  const mark = { key: 'last live', value: `${now} ${id}` };
  await db
    .insertInto('meta')
    .values(mark)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(mark))
    .execute();
}

async function replaceOthers(
  { db, now }: WriteTx,
  { id, project, target }: DeploymentRow,
): Promise<void> {
  await db
    .updateTable('deployments')
    .set((eb) => ({ state: 'replaced', ended_at: eb.fn.coalesce('ended_at', eb.val(now)) }))
    .where('project', '=', project)
    .where('target', '=', target)
    .where(isLive)
    .where('id', '<>', id)
    .execute();
}

async function checkNoOther(
  db: Kysely<Tables>,
  { id, project, target }: DeploymentRow,
): Promise<void> {
  const other = await liveDeployment(db, { project, target });
  if (other === undefined || other.id === id) return;
  throw new ForgeError(
    'seq_conflict',
    `Deployment "${other.id}" has the traffic of "${project}" on "${target}". Replace it, or take it back first.`,
  );
}

/** What is there is written: undefined as nothing. */
function columnsOf(change: DeploymentChange): Updateable<DeploymentsTable> {
  const { state, detail, endedAt, verified } = change;
  return {
    ...(state !== undefined && { state }),
    ...(state === 'live' && { ended_at: null }),
    ...('endedAt' in change && { ended_at: endedAt === undefined ? null : Math.trunc(endedAt) }),
    ...('digest' in change && { digest: change.digest ?? null }),
    ...('url' in change && { url: change.url ?? null }),
    ...('verified' in change && { verified: verified === undefined ? null : Number(verified) }),
    ...('reason' in change && { reason: change.reason ?? null }),
    ...('replaces' in change && { replaces: change.replaces ?? null }),
    ...(detail !== undefined && { detail: writeJson(detail) }),
  };
}

function changedMeanwhile(
  { id, state }: DeploymentRow,
  from: readonly DeploymentState[],
): ForgeError {
  return new ForgeError(
    'seq_conflict',
    `Deployment "${id}" is, or was just now, ${state}; this is for ${from.join(', ') || 'no state'}. Read it again.`,
  );
}

function missing(id: string): never {
  throw new ForgeError('not_found', `There is no deployment "${id}". List what there is.`);
}

export async function getDeployment(
  db: Kysely<Tables>,
  id: string,
): Promise<DeploymentRow | undefined> {
  const row = await db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readDeployment(row);
}

export async function liveDeployment(
  db: Kysely<Tables>,
  { project, target }: { readonly project: string; readonly target: string },
): Promise<DeploymentRow | undefined> {
  const row = await db
    .selectFrom('deployments')
    .selectAll()
    .where('project', '=', project)
    .where('target', '=', target)
    .where(isLive)
    .executeTakeFirst();
  return row && readDeployment(row);
}

/** A page of deployments, newest first. */
export async function listDeployments(
  db: Kysely<Tables>,
  {
    filter = {},
    limit,
    after,
  }: {
    readonly filter?: Parameters<DeploymentStore['list']>[0] | undefined;
    readonly limit?: number | undefined;
    readonly after?: string | undefined;
  },
): Promise<Page<DeploymentRow>> {
  const size = pageSize(limit);
  const place = readPlace(after);
  let query = db.selectFrom('deployments').selectAll();
  for (const name of ['project', 'target', 'state', 'tenant'] as const) {
    const value = filter[name];
    if (value !== undefined) query = query.where(name, '=', value);
  }
  if (place !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('started_at', 'id'), '<', eb.tuple(place.at, place.id)),
    );
  }
  const rows = await query
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute();
  return toPage(rows, {
    size,
    read: readDeployment,
    place: (row) => ({ at: readInt(row.started_at), id: row.id }),
  });
}
