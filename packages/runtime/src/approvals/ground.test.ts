import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Agent, defineTool, type Model, type RunEvent, textOf } from '@forge/core';
import { openStore } from '@forge/store';
import { createRuntime } from '../control/create-runtime.ts';
import { createWorker } from '../worker/create-worker.ts';
import type { Worker, WorkerOptions } from '../worker/worker.ts';
import { createApprovals } from './approvals-api.ts';
import type { AuditRecord } from './audit.ts';
import { createRules } from './rules-api.ts';

/** A store in a folder of its own, and workers that are gone when the test is. */
export async function ground(agents: readonly Agent[]) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-approvals-'));
  const file = join(folder, 'runs.sqlite');
  const store = await openStore(file);
  const workers: Worker[] = [];
  const over = new AbortController();
  after(async () => {
    over.abort();
    for (const worker of workers) await worker.stop({ grace: 0 });
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const work = (model: WorkerOptions['model'], more: Partial<WorkerOptions> = {}) => {
    const worker = createWorker({
      store,
      agents,
      model,
      onProblem: ({ error }) => assert.fail(error instanceof Error ? error : String(error)),
      ...more,
    });
    workers.push(worker);
    return worker;
  };

  /** Resolves with the first event of the run, past or to come, that is meant. */
  const event = async <T extends RunEvent['type']>(
    runId: string,
    type: T,
    isMeant: (event: Extract<RunEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<RunEvent, { type: T }>> => {
    for await (const { event, runId: of } of store.changes({ signal: over.signal })) {
      if (of === runId && 'type' in event && isOf(event, type) && isMeant(event)) return event;
    }
    throw new Error(`The test is over and ${type} never happened.`);
  };

  const eventsOf = async (runId: string) =>
    (await store.events(runId)).filter((each): each is RunEvent => 'type' in each);

  const approvals = createApprovals({ store, agents });

  return {
    store,
    file,
    work,
    event,
    eventsOf,
    runtime: createRuntime({ store }),
    approvals,
    audit: async (runId: string) => {
      const records: AuditRecord[] = [];
      for await (const record of approvals.audit(runId)) records.push(record);
      return records;
    },
    rules: createRules({ store, agents }),
    /** The one approval that is pending, waited for. */
    pending: async (runId: string, tool?: string) => {
      await event(runId, 'approval.requested', ({ name }) => tool === undefined || name === tool);
      const { items } = await store.approvals({ state: 'pending', runId });
      const found = items.find((row) => tool === undefined || row.tool === tool);
      assert.ok(found, JSON.stringify(items));
      return found;
    },
    /** The text of each result of the run, in the order they came. */
    results: async (runId: string) =>
      (await eventsOf(runId)).flatMap((each) =>
        each.type === 'tool.finished' ? [`${each.outcome}: ${textOf(each)}`] : [],
      ),
  };
}

function isOf<T extends RunEvent['type']>(
  event: RunEvent,
  type: T,
): event is Extract<RunEvent, { type: T }> {
  return event.type === type;
}

/** One voice for each agent. */
export function voices(models: Readonly<Record<string, Model>>): (agent: Agent) => Model {
  return ({ name }) => {
    const model = models[name];
    assert.ok(model, `no model for ${name}`);
    return model;
  };
}

export const search = defineTool({
  name: 'search',
  description: 'Search',
  input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  run: ({ query }) => `found ${String(query)}`,
});

/** Pays after a yes, and keeps what it paid. */
export function payTool() {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay',
    input: {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 1 } },
      required: ['amount'],
      additionalProperties: false,
    },
    approval: true,
    run: ({ amount }) => {
      paid.push(amount);
      return `paid ${String(amount)}`;
    },
  });
  return { pay, paid };
}
