import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  defineAgent,
  defineTool,
  fold,
  type Happening,
  type Model,
  openCalls,
  parseEvent,
  type RunEvent,
  snapshotVersion,
} from '@forge/core';
import { calls } from '@forge/core/testing';
import { openSqliteStore, type Store } from '@forge/store';
import { createRuntime } from '../src/control/create-runtime.ts';
import { approvalId } from '../src/session/names.ts';
import { createWorker } from '../src/worker/create-worker.ts';
import { readLog } from './chaos/check-run.ts';

/** Recorded by the code of commit 103e371, before runs were durable. */
const logs = ['log-of-103e371.jsonl', 'resumed-log-of-103e371.jsonl'];

function readRecorded(name: string): readonly RunEvent[] {
  const text = readFileSync(new URL(`./__fixtures__/${name}`, import.meta.url), 'utf8');
  const lines = text.trim().split('\n');
  return lines.map((line) => parseEvent(JSON.parse(line)));
}

const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
/** Keys of the calls that are not safe to repeat, as they ran. */
const ran: string[] = [];
const tool = (name: string, more: { idempotent?: boolean; approval?: boolean } = {}) =>
  defineTool({
    name,
    description: name,
    input,
    ...more,
    run: ({ n }, { idempotencyKey }) => {
      if (!more.idempotent) ran.push(idempotencyKey);
      return `${name} ${String(n)}`;
    },
  });
/** The same agent as today's code knows it. */
const archivist = defineAgent({
  name: 'archivist',
  instructions: 'File the papers.',
  tools: [
    tool('look', { idempotent: true }),
    tool('pay'),
    tool('sign', { approval: true }),
    tool('submit'),
  ],
  requiredSteps: ['look'],
  terminalTools: ['submit'],
});
/** Looks once, then submits; the ids were used before. */
const model: Model = {
  id: 'finisher',
  complete: async ({ messages }) =>
    JSON.stringify(messages).includes('look 8')
      ? calls(['submit', { n: 9 }, 'z'])
      : calls(['look', { n: 8 }, 'b']),
};

async function ground() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-old-'));
  const clock = { now: Date.UTC(2026, 10, 15) };
  const file = join(folder, 'store.db');
  const store = await openSqliteStore({ file, now: () => clock.now });
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, clock };
}

/** Puts a log into a store as the worker that wrote it would have left it. */
async function leave(store: Store, id: string, events: readonly RunEvent[]) {
  await store.createRun({ id, agent: 'archivist' });
  const [lease] = await store.claim({ owner: 'old', ttl: 1_000, limit: 1, runId: id });
  assert.ok(lease);
  const state = fold(events);
  const asked = openCalls(state).filter(({ status }) => status === 'asked');
  await store.append({
    runId: id,
    fence: lease.fence,
    expectedSeq: 0,
    happenings: events.map(happeningOf),
    at: state.lastAt,
    approvals: asked.map((open) => ({
      id: approvalId(id, open),
      callId: open.call.id,
      tool: open.call.name,
      proposed: open.args,
    })),
  });
}

function happeningOf(event: RunEvent): Happening {
  const { v: _v, runId: _runId, seq: _seq, at: _at, ...happening } = event;
  return happening;
}

/** Today's worker takes the runs up, and a person says yes to whatever is asked. */
async function finishAll(store: Store, runs: number, clock: { now: number }) {
  const now = () => clock.now;
  clock.now += 2_000; // The old worker's leases are over.
  const runtime = createRuntime({ store, now });
  const sayYes = async () => {
    const { items } = await store.approvals({ state: 'pending' }, { limit: 1_000 });
    if (items.length === 0) return;
    await runtime.decide(...items.map(({ id }) => ({ id, approved: true, by: 'ann' })));
  };
  const worker = createWorker({
    store,
    agents: [archivist],
    model,
    now,
    onProblem: ({ error }) => assert.fail(String(error)),
  });
  let ended = 0;
  await sayYes();
  try {
    for await (const { event } of store.changes({ signal: AbortSignal.timeout(300_000) })) {
      if (!('type' in event)) assert.fail(event.broken);
      if (event.type === 'approval.requested') await sayYes();
      if (event.type === 'run.finished') ended += 1;
      if (ended === runs) return;
    }
    assert.fail(`${ended} of ${runs} runs ended`);
  } finally {
    await worker.stop();
  }
}

describe('a log of older code', () => {
  for (const name of logs) {
    it(`is taken up wherever it was left, and finished (${name})`, {
      timeout: 600_000,
    }, async () => {
      const recorded = readRecorded(name);
      const { store, clock } = await ground();
      const lengths = recorded.slice(0, -1).map((_, index) => index + 1);
      for (const length of lengths) await leave(store, `old-${length}`, recorded.slice(0, length));
      ran.length = 0;
      await finishAll(store, lengths.length, clock);
      for (const length of lengths) {
        const id = `old-${length}`;
        const { events, wrong } = await readLog(store, id);
        assert.deepEqual(wrong, []);
        assert.equal(fold(events).phase.name, 'finished');
        assert.equal((await store.run(id))?.state, 'completed', id);
        const old = recorded.slice(0, length).map(happeningOf);
        assert.deepEqual(events.slice(0, length).map(happeningOf), old, 'the past stays as it was');
        const begun = old.flatMap((happening) =>
          happening.type === 'tool.started'
            ? [happening.idempotencyKey.replace(/^old-run:/, `${id}:`)]
            : [],
        );
        const again = ran.filter((key) => begun.includes(key));
        assert.deepEqual(again, [], `${id}: nothing that had begun ran again`);
      }
      assert.equal(new Set(ran).size, ran.length);
    });
  }

  it('is folded anew where the snapshot is of another shape, or damaged', async () => {
    const { store, clock } = await ground();
    await leave(store, 'old', readRecorded(logs[0] ?? '').slice(0, 12));
    const runId = 'old';
    const version = `${snapshotVersion}:archivist`;
    await store.saveSnapshot({ runId, seq: 12, version: '1:archivist', state: '{"seq":12}' });
    await store.saveSnapshot({ runId, seq: 12, version, state: '{"seq":12,"win' });
    await finishAll(store, 1, clock);
    assert.equal((await store.run('old'))?.state, 'completed');
  });
});
