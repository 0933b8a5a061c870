import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ForgeError, type ModelRequest, userMessage } from '@forge/core';
import { calls, ScriptedModel } from '@forge/core/testing';
import { ModelError } from '../wire/model-error.ts';
import { recordModel, replayModel } from './recorded-model.ts';

const { signal } = new AbortController();
const key = `sk-ant-api03-${'aB3dE5gH7'.repeat(9)}`;

function asking(question: string): ModelRequest {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const tools = [{ name: 'get_forecast', description: 'The weather', inputSchema }];
  return { messages: [userMessage(question)], tools, toolChoice: 'auto' };
}

async function newCassette(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cassette-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'talk.json');
}

describe('a recorded model', () => {
  it('says again what it said, in order', async (t) => {
    const cassette = await newCassette(t);
    const usage = { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3 };
    const script = [calls(['get_forecast', { city: 'Oslo' }]), { ...calls(), usage, cost: 0.01 }];
    const model = recordModel(new ScriptedModel(script, { contextLength: 4096 }), { cassette });
    const said = [];
    for (const question of ['one', 'two'])
      said.push(await model.complete(asking(question), { signal }));
    assert.equal(await model.contextLength?.({ signal }), 4096);

    const replay = replayModel(cassette);
    assert.equal(replay.id, 'scripted');
    assert.equal(replay.remaining, 2);
    assert.deepEqual(await replay.complete(asking('one'), { signal }), said[0]);
    assert.deepEqual(await replay.complete(asking('two'), { signal }), said[1]);
    assert.equal(replay.remaining, 0);
    assert.equal(await replay.contextLength?.({ signal }), 4096);
  });

  it('tells what it says as deltas, when recording and when replaying', async (t) => {
    const cassette = await newCassette(t);
    const heard: string[] = [];
    const onDelta = ({ text }: { text: string }) => heard.push(text);
    await recordModel(new ScriptedModel(['Hi there.']), { cassette }).complete(asking('q'), {
      signal,
      onDelta,
    });
    assert.equal(heard.splice(0).join(''), 'Hi there.');
    await replayModel(cassette).complete(asking('q'), { signal, onDelta });
    assert.equal(heard.join(''), 'Hi there.');
  });

  it('keeps failures, with their kind', async (t) => {
    const cassette = await newCassette(t);
    const limit = new ModelError({
      kind: 'rate_limited',
      message: 'Slow down.',
      status: 429,
      retryAfter: 5,
    });
    const model = recordModel(new ScriptedModel([limit, new Error('odd')]), { cassette });
    await assert.rejects(model.complete(asking('q'), { signal }));
    await assert.rejects(model.complete(asking('q'), { signal }));
    const replay = replayModel(cassette);
    await assert.rejects(replay.complete(asking('q'), { signal }), (error) => {
      assert.ok(error instanceof ModelError);
      const { kind, message, status, retryAfter } = error;
      assert.deepEqual([kind, message, status, retryAfter], ['rate_limited', 'Slow down.', 429, 5]);
      return true;
    });
    await assert.rejects(replay.complete(asking('q'), { signal }), /^Error: odd$/);
  });

  it('does not keep a call that was aborted', async (t) => {
    const cassette = await newCassette(t);
    const abort = new AbortController();
    const model = recordModel(
      new ScriptedModel([
        () => {
          abort.abort();
          return 'too late';
        },
        'Kept.',
      ]),
      { cassette },
    );
    await assert.rejects(model.complete(asking('q'), { signal: abort.signal }));
    await model.complete(asking('q'), { signal });
    assert.equal(replayModel(cassette).remaining, 1);
  });

  it('has no secret of the request, the reply or a failure in the file', async (t) => {
    const cassette = await newCassette(t);
    const model = recordModel(
      new ScriptedModel([`Your key is ${key}.`, new Error(`401 for Bearer ${key}`)]),
      { cassette },
    );
    const request = asking(`Is ${key} mine?`);
    await model.complete(request, { signal });
    await assert.rejects(model.complete(request, { signal }));
    const file = await readFile(cassette, 'utf8');
    assert.ok(!file.includes('aB3dE5gH7'), file);
    assert.match(file, /Your key is \[redacted:[a-z-]+\]\./);
    // The same request, secret and all, is still recognised.
    await replayModel(cassette).complete(request, { signal });
  });

  it('writes all of many calls at once, and leaves nothing half done beside the file', async (t) => {
    const cassette = await newCassette(t);
    const model = recordModel(new ScriptedModel(Array(20).fill('Yes.')), { cassette });
    const all = Array.from({ length: 20 }, () => model.complete(asking('q'), { signal }));
    await Promise.all(all);
    assert.equal(replayModel(cassette).remaining, 20);
    assert.deepEqual(await readdir(join(cassette, '..')), ['talk.json']);
  });
});

describe('a replay', () => {
  it('refuses another request and says where it differs', async (t) => {
    const cassette = await newCassette(t);
    await recordModel(new ScriptedModel(['Rain.']), { cassette }).complete(asking('Oslo?'), {
      signal,
    });
    const replay = replayModel(cassette);
    await assert.rejects(replay.complete(asking('Rome?'), { signal }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.retryable, false);
      assert.match(error.message, /another request 1:/);
      assert.match(
        error.message,
        /messages\[0\]\.content\[0\]\.text: recorded "Oslo\?", now "Rome\?"/,
      );
      assert.match(error.message, /Record it again/);
      return true;
    });
    assert.equal(replay.remaining, 1);
  });

  it('compares after what the test takes out', async (t) => {
    const cassette = await newCassette(t);
    const dated = (day: string) => asking(`Today is ${day}. What is the weather?`);
    await recordModel(new ScriptedModel(['Rain.']), { cassette }).complete(dated('Monday'), {
      signal,
    });
    const normalise = (request: unknown) =>
      JSON.parse(JSON.stringify(request).replace(/Today is \w+/, 'Today is someday'));
    const reply = await replayModel(cassette, { normalise }).complete(dated('Friday'), { signal });
    assert.deepEqual(reply.content, [{ type: 'text', text: 'Rain.' }]);
  });

  it('never makes up an answer once the cassette is at its end', async (t) => {
    const cassette = await newCassette(t);
    await recordModel(new ScriptedModel(['Rain.']), { cassette }).complete(asking('q'), { signal });
    const replay = replayModel(cassette);
    await replay.complete(asking('q'), { signal });
    await assert.rejects(
      replay.complete(asking('q'), { signal }),
      /has 1 exchanges and was asked for one more/,
    );
  });

  it('says what is wrong with a file it cannot use', async (t) => {
    const cassette = await newCassette(t);
    const says = (what: RegExp) => (error: unknown) =>
      ForgeError.is(error, 'invalid_options') && what.test(error.message);
    assert.throws(() => replayModel(cassette), says(/ENOENT.*Record it again/));
    await recordModel(new ScriptedModel(['x']), { cassette }).complete(asking('q'), { signal });
    await writeFile(cassette, '{"v": 2, "model": "m", "exchanges": []}');
    assert.throws(() => replayModel(cassette), says(/at v/));
    await writeFile(cassette, '{"v": 1');
    assert.throws(() => replayModel(cassette), says(/JSON/));
  });
});
