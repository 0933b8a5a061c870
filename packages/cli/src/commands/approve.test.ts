import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { createWorker } from '@forge/runtime';
import { main } from '../main.ts';
import { coder, ground } from '../runs/ground.test.ts';

/** Three writes that wait for a yes, and somebody at a terminal. */
async function waiting() {
  const { agent, written } = coder({ approval: true });
  const made = await ground({ agents: [agent] });
  const wish = ['a', 'b', 'c'].map((name) => ['write', { path: `${name}.ts` }, name] as const);
  const model = new ScriptedModel([
    calls(...wish.map(([tool, args, id]) => [tool, args, id] as [string, typeof args, string])),
    says('Done.'),
  ]);
  const worker = createWorker({ store: made.store, agents: [agent], model });
  const { id } = await made.runtime.launch('coder', 'Write.');
  await made.runtime.settled(id);
  const approve = async (...answers: readonly string[]) => {
    const stdin = new PassThrough();
    let stdout = '';
    const write = (text: string | Uint8Array) => {
      stdout += String(text);
      return true;
    };
    stdin.end(`${answers.join('\n')}\n`);
    const code = await main(['approve'], {
      stdin,
      stdout: { isTTY: true, write },
      environment: { HOME: made.folder, NO_COLOR: '1' },
      cwd: made.folder,
      openWorkshop: made.openWorkshop,
    });
    return { code, stdout };
  };
  return { ...made, approve, written, id, stop: () => worker.stop() };
}

describe('forge approve in a terminal', () => {
  it('goes through what waits: yes, edit, no, and later', async () => {
    const { approve, written, runtime, id, stop, store } = await waiting();
    const first = await approve('maybe', 'y', 'e', '{"path": "other.ts"}', 'later');
    assert.equal(first.code, 0, first.stdout);
    assert.match(first.stdout, /1 of 3\ncoder wants to run write:\n {2}path: a\.ts\n/);
    assert.match(first.stdout, /Answer with one of: yes, no, edit, later\./);
    assert.equal((await store.approvals({ state: 'pending' })).items.length, 1);
    const second = await approve('n', 'that one is fine as it is');
    assert.equal(second.code, 0, second.stdout);
    await runtime.ended(id);
    await stop();
    assert.deepEqual(written.toSorted(), ['a.ts', 'other.ts']);
    const denied = (await store.approvals({ runId: id })).items.find(
      ({ state }) => state === 'denied',
    );
    assert.equal(denied?.reason, 'that one is fine as it is');
  });

  it('decides nothing more when the input ends', async () => {
    const { approve, stop, store } = await waiting();
    const { code } = await approve('y');
    assert.equal(code, 1);
    assert.equal((await store.approvals({ state: 'pending' })).items.length, 2);
    await stop();
  });
});
