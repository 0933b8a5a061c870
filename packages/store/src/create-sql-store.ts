import type { Redactor } from '@forge/core';
import { createDeployments } from './deployments/create-deployments.ts';
import type { Engine } from './engine.ts';
import { createMemory } from './memory/create-memory.ts';
import { getApproval, listApprovals } from './sql/approvals.ts';
import { getBlob, putBlob } from './sql/blobs.ts';
import { countRuns } from './sql/count-runs.ts';
import { listStats } from './sql/daily.ts';
import { decideApprovals, expireApprovals } from './sql/decide.ts';
import { fireSchedule } from './sql/fire.ts';
import { forkRun } from './sql/fork.ts';
import { listInbox } from './sql/inbox.ts';
import { listRuns } from './sql/list-runs.ts';
import { nextDue } from './sql/next-due.ts';
import { listOutcomes } from './sql/outcomes.ts';
import { findPrunable, pruneRun } from './sql/prune.ts';
import { readEvents } from './sql/read-events.ts';
import { readRun } from './sql/readers.ts';
import { rebuild } from './sql/rebuild.ts';
import { addRule, listRules, revokeRule } from './sql/rules.ts';
import {
  deleteSchedule,
  dueSchedules,
  getSchedule,
  listFirings,
  listSchedules,
  saveSchedule,
} from './sql/schedules.ts';
import { getSnapshot, saveSnapshot } from './sql/snapshots.ts';
import { readTimers } from './sql/timers.ts';
import type { Store } from './store.ts';

/** A store of what a make brings and of what is written once for all makes. */
export function createSqlStore(engine: Engine, redactor: Redactor | undefined): Store {
  const { read, write } = engine;
  return {
    createRun: (run) => engine.createRun(run),
    run: (id) =>
      read(async (db) => {
        const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
        return row && readRun(row);
      }),
    runs: (filter, page) => read((db) => listRuns(db, { filter, ...page })),

    claim: (options) => engine.claim(options),
    heartbeat: (leases, ttl) => engine.heartbeat(leases, ttl),
    release: (lease) => engine.release(lease),
    postpone: (lease) => engine.postpone(lease),
    strike: (lease) => engine.strike(lease),

    append: (step) => engine.append(step),
    events: (runId, options) => read((db) => readEvents(db, { runId, ...options })),
    send: (runId, message) => engine.send(runId, message),
    inbox: (runId, limit) => read((db) => listInbox(db, { runId, limit })),

    approvals: (filter, page) => read((db) => listApprovals(db, { filter, ...page })),
    approval: (id) => read((db) => getApproval(db, id)),
    decide: (decisions, at) =>
      write((tx) => decideApprovals(tx, { decisions, at: Math.trunc(at) })),
    expireApprovals: (now) => write((tx) => expireApprovals(tx, Math.trunc(now))),

    addRule: (rule) => write((tx) => addRule(tx, rule)),
    rules: () => read(listRules),
    revokeRule: (id) => write((tx) => revokeRule(tx, id)),

    saveSchedule: (schedule, expectedVersion) =>
      write((tx) => saveSchedule(tx, { schedule, expectedVersion })),
    schedule: (id) => read((db) => getSchedule(db, id)),
    schedules: (filter) => read((db) => listSchedules(db, filter)),
    dueSchedules: (now, limit) => read((db) => dueSchedules(db, { now, limit })),
    fire: (firing) => write((tx) => fireSchedule(tx, firing)),
    firings: (scheduleId, limit) => read((db) => listFirings(db, { scheduleId, limit })),
    deleteSchedule: (id) => write((tx) => deleteSchedule(tx, id)),

    timers: (runId) => read((db) => readTimers(db, runId)),

    saveSnapshot: (snapshot) => write((tx) => saveSnapshot(tx, snapshot)),
    snapshot: (runId, version) => read((db) => getSnapshot(db, { runId, version })),
    putBlob: (bytes) => write((tx) => putBlob(tx, bytes)),
    blob: (hash) => read((db) => getBlob(db, hash)),

    cursor: () => engine.cursor(),
    changes: (options) => engine.changes(options),
    onWake: (listener) => engine.onWake(listener),
    nextDue: (now) => read((db) => nextDue(db, now)),
    now: () => engine.now(),

    outcomes: (filter, page) =>
      read((db) => listOutcomes(db, { filter, ...page, kindOf: engine.outcomeKind })),
    countRuns: (filter) => read((db) => countRuns(db, filter)),

    memory: createMemory(engine, redactor),
    deployments: createDeployments(engine, redactor),
    redactor,
    stats: (filter) => read((db) => listStats(db, filter)),
    rebuild: (onProgress) => rebuild(engine, onProgress),
    prune: (options) => prune(engine, options),
    fork: (options) => write((tx) => forkRun(tx, options)),
    close: () => engine.close(),
  };
}

/** A transaction for each run, so that others get their turn in between. */
async function prune(
  engine: Engine,
  { endedBefore, limit = 1_000 }: Parameters<Store['prune']>[0],
): Promise<number> {
  const ids = await engine.read((db) => findPrunable(db, { endedBefore, limit }));
  let pruned = 0;
  for (const runId of ids) {
    if (await engine.write((tx) => pruneRun(tx, { runId, endedBefore }))) pruned += 1;
  }
  return pruned;
}
