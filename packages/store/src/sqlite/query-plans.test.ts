import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { migrate } from '../schema/migrate.ts';
import { sqliteSchema } from '../schema/schema-make.ts';
import type { Tables } from '../schema/tables.ts';
import { countRuns } from '../sql/count-runs.ts';
import { listDeployments, liveDeployment } from '../sql/deployments.ts';
import { listRuns } from '../sql/list-runs.ts';
import { listOutcomes } from '../sql/outcomes.ts';
import { Database } from './database.ts';
import { kyselyFor } from './kysely-for.ts';

/** A connection that remembers what it was asked. */
class Witness extends Database {
  readonly asked: string[] = [];

  override prepare(sql: string) {
    this.asked.push(sql);
    return super.prepare(sql);
  }
}

const label = { name: 'forge.repo', value: '/srv/shop' };
const limit = 10;
const next = '7:3';
const kindOf = sqliteSchema.outcomeKind;

type Query = (db: Kysely<Tables>) => Promise<unknown>;
const queries: readonly (readonly [what: string, index: string, query: Query])[] = [
  ['all outcomes', 'events_outcomes', (db) => listOutcomes(db, { kindOf, after: next })],
  [
    'outcomes of a time',
    'events_outcomes',
    (db) => listOutcomes(db, { kindOf, filter: { after: 1, before: 9, taskType: 'coding' } }),
  ],
  [
    'outcomes of a kind',
    'events_outcomes_by_kind',
    (db) => listOutcomes(db, { kindOf, filter: { kind: 'human' }, after: next }),
  ],
  [
    'outcomes of a run',
    'events_outcomes_by_run',
    (db) => listOutcomes(db, { kindOf, filter: { runId: 'r' }, after: next }),
  ],
  [
    'outcomes of a family',
    'events_outcomes_by_run',
    (db) => listOutcomes(db, { kindOf, filter: { rootId: 'r' }, after: next }),
  ],
  ['all runs', 'runs_by_age', (db) => listRuns(db, { limit, after: next })],
  ['runs of a state', 'runs_by_top', (db) => listRuns(db, { filter: { states: ['open'] } })],
  ['top runs', 'runs_by_top', (db) => listRuns(db, { filter: { topOnly: true }, limit })],
  [
    'top runs of an agent',
    'runs_by_agent',
    (db) => listRuns(db, { filter: { topOnly: true, agent: 'a' }, after: next }),
  ],
  [
    'top runs with a label',
    'run_labels_by_top',
    (db) => listRuns(db, { filter: { topOnly: true, label, states: ['open'] } }),
  ],
  ['counts', 'runs_by_top', (db) => countRuns(db)],
  ['counts of top runs', 'runs_by_top', (db) => countRuns(db, { topOnly: true })],
  ['counts of an agent', 'runs_by_agent', (db) => countRuns(db, { agent: 'a' })],
  ['what is live', 'deployments_live', (db) => liveDeployment(db, { project: 'p', target: 't' })],
  [
    'deployments in one place',
    'deployments_by_target',
    (db) => listDeployments(db, { filter: { project: 'p', target: 't' }, after: next }),
  ],
  [
    'deployments of a state',
    'deployments_by_state',
    (db) => listDeployments(db, { filter: { state: 'failed' } }),
  ],
];

describe('lists and counts walk an index, however much there is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
  const database = new Witness(join(folder, 'store.db'));
  const db = kyselyFor(database);
  before(() => migrate(db, sqliteSchema));
  after(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [what, index, query] of queries) {
    it(`${what}: ${index}`, async () => {
      database.asked.length = 0;
      await query(db);
      const [sql] = database.asked;
      const plan = database
        .all<{ detail: string }>(`explain query plan ${sql}`)
        .map(({ detail }) => detail);
      assert.ok(
        plan.some((step) => step.includes(`INDEX ${index}`)),
        plan.join('\n'),
      );
      for (const step of plan) {
        assert.doesNotMatch(step, /^SCAN (events|runs|run_labels|deployments|kin)$/);
      }
    });
  }
});
