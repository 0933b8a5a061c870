import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { defineAgent, defineTool, type Model, type RunEvent, userMessage } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { openSqliteStore, type Store } from '@forge/store';
import { replayLog } from '../control/replay-log.ts';
import { createWorker } from '../worker/create-worker.ts';

const secret = `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF'.repeat(2).slice(0, 36)}`;
const ran: string[] = [];
const fetchTool = defineTool({
  name: 'fetch',
  description: 'Fetch',
  input: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
  run: ({ token }) => {
    ran.push(String(token));
    return `The server says: use ${secret} from now on.`;
  },
});
const agent = defineAgent({ name: 'fetcher', tools: [fetchTool] });

async function openStore(context: TestContext, options: { redact?: false } = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-redacted-'));
  const store = await openSqliteStore({ file: join(folder, 'store.db'), ...options });
  context.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

async function work(store: Store, model: Model): Promise<readonly RunEvent[]> {
  ran.length = 0;
  const payload = { messages: [userMessage(`My token is ${secret}.`)] };
  await store.createRun({ id: 'r', agent: 'fetcher', inbox: [{ kind: 'input', payload }] });
  const worker = createWorker({ store, agents: [agent], model });
  const events: RunEvent[] = [];
  try {
    for await (const { event } of store.changes({ signal: AbortSignal.timeout(300_000) })) {
      if ('broken' in event) assert.fail(event.broken);
      events.push(event);
      if (event.type === 'run.finished') break;
    }
  } finally {
    await worker.stop();
  }
  return events;
}

function script() {
  return new ScriptedModel([
    calls(['fetch', { token: 'harmless' }, 'a']),
    calls(['fetch', { token: secret }, 'b']),
    says(`It was ${secret}.`),
  ]);
}

describe('a run in a store that keeps no secrets', () => {
  it('decides on what its log says, and shows the model nothing else', async (context) => {
    const model = script();
    const events = await work(await openStore(context), model);
    assert.ok(!JSON.stringify(events).includes(secret));
    assert.ok(!JSON.stringify(model.requests).includes(secret));
    assert.deepEqual(replayLog(agent, events).divergences, []);
    assert.deepEqual(ran, ['harmless'], 'no call is made with a mark in the place of a secret');
    const refused = events.findLast((event) => event.type === 'tool.finished');
    assert.equal(refused?.outcome, 'error');
    assert.match(JSON.stringify(refused?.content), /fetch was not run.*secrets are not kept/);
  });

  it('keeps all as it is where it is told to', async (context) => {
    const events = await work(await openStore(context, { redact: false }), script());
    assert.deepEqual(ran, ['harmless', secret]);
    assert.ok(JSON.stringify(events.at(-2)).includes(secret));
  });

  it('says which model was asked and which answered', async (context) => {
    const store = await openStore(context);
    const inner = new ScriptedModel([says('Hello.')]);
    const model: Model = {
      id: 'several(a, b)',
      complete: async (request, options) => ({
        ...(await inner.complete(request, options)),
        model: 'b',
      }),
    };
    const events = await work(store, model);
    const named = events.flatMap((event) =>
      event.type === 'model.requested' || event.type === 'model.replied' ? [event.model] : [],
    );
    assert.deepEqual(named, ['several(a, b)', 'b']);
    assert.deepEqual(replayLog(agent, events).divergences, []);
    const stats = await store.stats();
    assert.deepEqual(
      stats.map(({ model: id, turns, replies }) => [id, turns, replies]),
      [
        ['', 0, 0],
        ['b', 0, 1],
        ['several(a, b)', 1, 0],
      ],
    );
  });
});
