import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { wires } from '@forge/models';
import { createProxy } from '../src/index.ts';
import { readAnswer } from './hostile/answer.ts';
import { callOf, chat, completion, toolWith } from './hostile/chat.ts';
import { minimal } from './hostile/minimal.ts';
import { stall, whole } from './hostile/odd-backend.ts';
import { RawConnection } from './hostile/raw-connection.ts';
import { write } from './hostile/row.ts';
import { ask, assertUnharmed, healthOf, openStage, type Stage } from './hostile/stage.ts';

let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

test('with a key, who has none is refused in their own words', async () => {
  const { backend } = stage;
  backend.play();
  const locked = await createProxy({ backend: { url: backend.url }, port: 0, apiKey: 'right' });
  const keys: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-api-key': 'wrong' },
    { authorization: 'Basic right' },
  ];
  for (const { name } of Object.values(wires)) {
    for (const headers of keys) {
      const { status, error } = await ask(locked, { body: minimal[name], headers }, name);
      assert.equal(status, 401, name);
      assert.equal(error?.kind, 'auth', name);
    }
  }
  assert.equal(backend.bodies.length, 0, 'the backend was never asked');
  const { status } = await ask(locked, {
    body: chat(),
    headers: { authorization: 'Bearer right' },
  });
  assert.equal(status, 200);
  await locked.close({ grace: 0 });
});

for (const [name, status] of [
  ['openai-chat', 503],
  ['anthropic-messages', 529],
] as const) {
  test(`${name}: who finds it full is told when to come back, and who waited gets in`, async () => {
    const { backend } = stage;
    const limits = { concurrency: 1, queue: 1 };
    const full = await createProxy({ backend: { url: backend.url }, port: 0, limits });
    backend.play(stall);
    const working = await RawConnection.open(full.port);
    const waiting = await RawConnection.open(full.port);
    working.send(write({ body: chat() }));
    await backend.untilAsked();
    waiting.send(write({ body: chat() }));
    while (!(await healthOf(full)).includes('"waiting":1')) await new Promise(setImmediate);
    const answer = await ask(full, { body: minimal[name] }, name);
    assert.equal(answer.status, status);
    assert.equal(answer.error?.kind, 'overloaded');
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    backend.play();
    working.reset();
    assert.equal(readAnswer(wires['openai-chat'], await waiting.response()).status, 200);
    waiting.close();
    await assertUnharmed(full, backend);
    await full.close({ grace: 0 });
  });
}

test('with no backend at all, every client is told so', async () => {
  const alone = await createProxy({ backend: { url: 'http://127.0.0.1:9' }, port: 0 });
  for (const { name } of Object.values(wires)) {
    const { status, error } = await ask(alone, { body: minimal[name] }, name);
    assert.ok(status >= 500, `${name}: ${status}`);
    assert.equal(error?.kind, 'unavailable', name);
  }
  await alone.close({ grace: 0 });
});

/** In a thread of its own: if it hangs, this one does not. */
test('a pattern that takes for ever does not', async () => {
  const { backend } = stage;
  const args = JSON.stringify({ city: `${'a'.repeat(40)}!` });
  backend.play(whole(completion({ content: null, tool_calls: [callOf(args)] })));
  const thread = new URL('./hostile/proxy-thread.ts', import.meta.url);
  const worker = new Worker(thread, { workerData: backend.url });
  try {
    const [port] = await once(worker, 'message');
    const schema = { type: 'object', properties: { city: { type: 'string', pattern: '^(a+)+$' } } };
    const connection = await RawConnection.open(Number(port));
    connection.send(write({ body: chat({ tools: [toolWith(schema)] }) }));
    const hung = once(AbortSignal.timeout(60_000), 'abort');
    const late = hung.then(() => assert.fail('the proxy is stuck in the pattern'));
    const { status } = await Promise.race([connection.response(), late]);
    assert.equal(status, 200);
    connection.close();
  } finally {
    await worker.terminate();
  }
});
