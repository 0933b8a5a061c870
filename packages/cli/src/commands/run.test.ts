import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { coder, ground, pipeline, planner } from '../runs/ground.test.ts';

async function shop() {
  const { agent, written } = coder();
  const made = await ground({
    agents: [pipeline, planner, agent],
    voices: {
      planner: new ScriptedModel([says('One task.')]),
      coder: new ScriptedModel([calls(['write', { path: 'a.ts' }, '1']), says('It is done.')]),
    },
  });
  return { ...made, written };
}

describe('forge run', () => {
  it('works on the pipeline until it has ended, and says what came of it', async () => {
    const { forge, written, store } = await shop();
    const { code, stdout, stderr } = await forge(['run', 'build a shop']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^completed in /);
    assert.match(stdout, /branch +forge\/shop/);
    assert.match(stdout, /It is done\./);
    assert.deepEqual(written, ['a.ts']);
    assert.match(stderr, /pipeline {2}begins: build a shop/);
    assert.match(stderr, /plan {2}begins: build a shop/);
    assert.match(stderr, /code {2}write a\.ts/);
    const [run] = (await store.runs({ topOnly: true })).items;
    assert.match(stderr, new RegExp(`forge inspect ${run?.id.slice(0, 8)}`));
  });

  it('--json prints every event and the result as the last line', async () => {
    const { forge } = await shop();
    const { code, stdout } = await forge(['run', '--json', 'build a shop']);
    assert.equal(code, 0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = lines.pop();
    assert.ok(
      lines.every(({ agent, level, message, event }) => agent && level && message && event),
    );
    assert.deepEqual(
      lines.filter(({ event }) => event.type === 'run.finished').map(({ agent }) => agent),
      ['planner', 'coder', 'pipeline'],
    );
    assert.equal(result.success, true);
    assert.equal(result.deploymentId, 'd-1');
    assert.deepEqual(
      result.agentRuns.map(({ agent, status }: Record<string, unknown>) => [agent, status]),
      [
        ['planner', 'completed'],
        ['coder', 'completed'],
      ],
    );
    assert.deepEqual(result.errors, []);
    assert.equal(typeof result.totalMs, 'number');
  });

  it('ends with 1 when the pipeline fails, and says why', async () => {
    const { forge } = await ground({
      agents: [pipeline, planner],
      voices: { planner: new ScriptedModel([new Error('no such model')]) },
    });
    const { code, stdout, stderr } = await forge(['run', '--json', 'build a shop']);
    assert.equal(code, 1, stderr);
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.equal(result.success, false);
    assert.match(JSON.stringify(result.errors), /planner.*no such model/);
  });

  it('takes the request from the standard input', async () => {
    const { forge, store } = await shop();
    const stdin = Readable.from(['build ', 'a shop\n']);
    assert.equal((await forge(['run', '-'], { stdin })).code, 0);
    const [run] = (await store.runs({ topOnly: true })).items;
    assert.equal(run?.title, 'build a shop');
  });

  it('--detach only begins it', async () => {
    const { forge, store } = await shop();
    const { code, stdout, stderr } = await forge(['run', '--detach', 'build a shop']);
    assert.equal(code, 0);
    const run = await store.run(stdout.trim());
    assert.deepEqual([run?.state, run?.seq], ['open', 0]);
    assert.match(stderr, /forge worker/);
  });

  for (const [what, request, words] of [
    ['an empty one', '  ', /request is empty/],
    ['one of more than 100 KB', 'x'.repeat(100_001), /longer than 100 KB/],
  ] as const) {
    it(`takes no request but a sound one: ${what} is refused`, async () => {
      const { forge, store } = await shop();
      const { code, stderr } = await forge(['run', request]);
      assert.equal(code, 2);
      assert.match(stderr, words);
      assert.deepEqual((await store.runs()).items, []);
    });
  }

  it('hands flags on: model, repository, config', async () => {
    const { forge, opened, folder } = await shop();
    await forge(['run', 'x', '--detach', '--model', 'm', '--repo', 'r', '--config', 'c.yaml']);
    const [options] = opened;
    assert.deepEqual(
      [options?.flags, options?.repo, options?.file],
      [{ model: 'm' }, `${folder}/r`, `${folder}/c.yaml`],
    );
  });
});

describe('forge run --no-durable', () => {
  it('keeps nothing: its store is its own, and gone afterwards', async () => {
    const { forge, opened } = await shop();
    const { code, stderr } = await forge(['run', '--no-durable', 'build a shop']);
    assert.equal(code, 0);
    const store = String(opened.at(-1)?.flags.store);
    assert.match(store, /runs\.db$/);
    assert.equal(existsSync(dirname(store)), false);
    assert.doesNotMatch(stderr, /forge inspect/);
    assert.equal((await forge(['run', '--no-durable', '--detach', 'x'])).code, 2);
  });
});
