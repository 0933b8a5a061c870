import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type AssistantMessage, type Happening, text, userMessage } from '@forge/core';
import {
  finished,
  replied,
  requested,
  started,
  toolFinished,
  toolStarted,
} from '../conformance/happenings.ts';
import { type Bench, failsWith, leasedRun, onBench } from '../conformance/kit.ts';
import { openTestSqlite } from '../sqlite/test-database.ts';
import { exportRunFolder } from './export-run-folder.ts';
import { exportMemory, importFacts, importMemory } from './memory.ts';
import { readRunFolder } from './read-run-folder.ts';

const asks: AssistantMessage = {
  role: 'assistant',
  content: [
    text('Looking.'),
    {
      type: 'tool_call',
      id: 'c1',
      name: 'shell',
      args: { command: 'ls' },
      provider: { gemini: { thoughtSignature: 'sig-1' } },
    },
  ],
};

const story: readonly Happening[] = [
  started(),
  requested(1),
  replied({ usage: { inputTokens: 10, outputTokens: 5 }, cost: 0.5 }),
  { type: 'reply.accepted', turn: 1, message: asks, calls: [], source: 'native', mended: [] },
  toolStarted(),
];
const ending: readonly Happening[] = [
  toolFinished('error'),
  requested(2),
  replied({ turn: 2 }),
  {
    type: 'reply.answered',
    turn: 2,
    message: { role: 'assistant', content: [text('Done.')] },
    text: 'Done.',
  },
  finished(),
];

async function tell({ store, clock }: Bench, id: string): Promise<void> {
  const { fence } = await leasedRun(store, { id, title: 'A title', labels: { repo_path: 'app' } });
  await store.append({ runId: id, fence, expectedSeq: 0, happenings: story, at: clock.time });
  clock.advance(1_500);
  const state = 'completed';
  await store.append({
    runId: id,
    fence,
    expectedSeq: 5,
    happenings: ending,
    at: clock.time,
    state,
  });
}

function inFolder(test: (bench: Bench, folder: string) => Promise<void>) {
  return onBench(openTestSqlite, async (bench) => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-export-'));
    try {
      await test(bench, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

describe('exportRunFolder', () => {
  it(
    'writes the four files, and they read back as they were',
    inFolder(async (bench, folder) => {
      await tell(bench, 'run_1');
      const config = { model: 'qwen3:8b', provider: 'ollama', max_iterations: 25 };
      const own = await exportRunFolder({ store: bench.store, runId: 'run_1', folder, config });
      assert.deepEqual(readdirSync(own).sort(), [
        'events.jsonl',
        'messages.jsonl',
        'run.json',
        'summary.json',
      ]);

      const { run, messages, events, summary } = await readRunFolder({ folder, runId: 'run_1' });
      assert.deepEqual(run, {
        id: 'run_1',
        task: 'Go on.',
        repo_path: 'app',
        state: 'completed',
        iterations: 2,
        total_tokens: { prompt: 10, completion: 5, total: 15 },
        config: {
          ...config,
          max_tokens_per_run: null,
          temperature: null,
          system_prompt: null,
          profile_id: null,
        },
        created_at: '2026-11-15T12:00:00.000Z',
        completed_at: '2026-11-15T12:00:01.500Z',
        error: null,
      });
      assert.deepEqual(messages, [
        { role: 'user', content: 'Go on.' },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [
            { id: 'c1', name: 'shell', arguments: { command: 'ls' }, thought_signature: 'sig-1' },
          ],
        },
        { role: 'tool', content: 'done', tool_call_id: 'c1' },
        { role: 'assistant', content: 'Done.' },
      ]);
      assert.equal(events.length, 10);
      const invocation = events.find(({ tool_name }) => tool_name !== undefined);
      assert.equal(invocation?.tool_name, 'shell');
      assert.deepEqual(invocation?.arguments, { command: 'ls' });
      assert.deepEqual(invocation?.result, {
        output: '',
        error: 'done',
        exit_code: 1,
        execution_time_ms: 1_500,
      });
      assert.equal(invocation?.iteration, 1);
      assert.deepEqual(summary, {
        run_id: 'run_1',
        state: 'completed',
        task: 'Go on.',
        model: 'qwen3:8b',
        duration_seconds: 1.5,
        iterations: 2,
        tokens: { prompt: 10, completion: 5, total: 15 },
        estimated_cost_usd: 0.5,
        llm_calls: 2,
        tool_invocations: 1,
        created_at: '2026-11-15T12:00:00.000Z',
        completed_at: '2026-11-15T12:00:01.500Z',
      });
    }),
  );

  it(
    'writes empty files for a run without a log, and writes over an older export',
    inFolder(async (bench, folder) => {
      await bench.store.createRun({ id: 'r', agent: 'writer', title: 'Later' });
      for (let times = 0; times < 2; times += 1)
        await exportRunFolder({ store: bench.store, runId: 'r', folder });
      assert.equal(readFileSync(join(folder, 'r', 'messages.jsonl'), 'utf8'), '');
      assert.equal(readFileSync(join(folder, 'r', 'events.jsonl'), 'utf8'), '');
      const { run, messages } = await readRunFolder({ folder, runId: 'r' });
      assert.equal(run.state, 'pending');
      assert.equal(run.task, 'Later');
      assert.deepEqual(messages, []);
    }),
  );

  it(
    'refuses ids that lead elsewhere, and ids nobody knows',
    inFolder(async ({ store }, folder) => {
      for (const runId of ['../up', 'a/b', '..', '.hidden', '', 'a\0b', 'a..b']) {
        await failsWith('invalid_options', exportRunFolder({ store, runId, folder }));
        await failsWith('invalid_options', readRunFolder({ folder, runId }));
      }
      await failsWith('not_found', exportRunFolder({ store, runId: 'nobody', folder }));
      await failsWith('not_found', readRunFolder({ folder, runId: 'nobody' }));
      assert.deepEqual(readdirSync(folder), []);
    }),
  );

  it(
    'calls a run that hit a limit a timeout, as the old shape does',
    inFolder(async ({ store, clock }, folder) => {
      const { fence } = await leasedRun(store, { id: 'r' });
      const end: Happening = {
        type: 'run.finished',
        status: 'failed',
        reason: 'turn_limit',
        explanation: '25 turns.',
      };
      await store.append({
        runId: 'r',
        fence,
        expectedSeq: 0,
        happenings: [end],
        at: clock.time,
        state: 'failed',
      });
      await exportRunFolder({ store, runId: 'r', folder });
      const { run } = await readRunFolder({ folder, runId: 'r' });
      assert.equal(run.state, 'timeout');
      assert.equal(run.error, '25 turns.');
    }),
  );
});

describe('memory.json', () => {
  it(
    'holds the last messages and the facts',
    inFolder(async (bench, folder) => {
      const { store, clock } = bench;
      const file = join(folder, 'data', 'memory.json');
      const { fence } = await leasedRun(store, { id: 'chat' });
      const words = Array.from({ length: 30 }, (_, index) => `message ${index}`);
      const happenings = words.map(
        (each): Happening => ({ type: 'input.received', messages: [userMessage(each)] }),
      );
      await store.append({ runId: 'chat', fence, expectedSeq: 0, happenings, at: clock.time });
      const scope = 'user:ann';
      await store.memory.remember({ scope, key: 'name', value: 'Ann' });
      await store.memory.remember({ scope: 'user:bob', key: 'name', value: 'Bob' });
      await exportMemory({ store, runId: 'chat', file, scope });
      const { memory, setAside } = await importMemory(file);
      assert.equal(setAside, undefined);
      assert.deepEqual(
        memory.messages,
        words.slice(-20).map((content) => ({ role: 'user', content })),
      );
      assert.deepEqual(memory.facts, { name: 'Ann' });
      const facts = { ...memory.facts, long: 'x'.repeat(9_000) };
      const { remembered, refused } = await importFacts({ store, scope: 'again', facts });
      assert.equal(remembered, 1);
      assert.deepEqual(
        refused.map(({ key }) => key),
        ['long'],
      );
      assert.equal((await store.memory.recall('again', 'name'))?.value, 'Ann');
      await exportMemory({ store, runId: 'chat', file });
      assert.deepEqual((await importMemory(file)).memory.facts, {});
      await failsWith('not_found', exportMemory({ store, runId: 'nobody', file }));
    }),
  );

  it(
    'is empty without a file, and puts a damaged one aside',
    inFolder(async (_bench, folder) => {
      const file = join(folder, 'memory.json');
      const empty = { messages: [], facts: {} };
      assert.deepEqual(await importMemory(file), { memory: empty });
      for (const damage of ['{', '[]', '{"messages":[{"role":"robot"}],"facts":{}}']) {
        writeFileSync(file, damage);
        assert.deepEqual(await importMemory(file), { memory: empty, setAside: `${file}.damaged` });
        assert.equal(readFileSync(`${file}.damaged`, 'utf8'), damage);
      }
    }),
  );
});
