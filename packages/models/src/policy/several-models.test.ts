import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Model, textOf } from '@forge/core';
import { ScriptedModel, says } from '@forge/core/testing';
import { ModelError } from '../wire/model-error.ts';
import { cascade } from './cascade.ts';
import { fallback } from './fallback.ts';
import type { ModelEvent } from './model-event.ts';
import { asking, assistant, call, refused, result } from './policy-requests.test.ts';

const { signal } = new AbortController();

function named(id: string, model: Model): Model {
  return {
    id,
    complete: (request, options) => model.complete(request, options),
    contextLength: async (options) => model.contextLength?.(options),
  };
}

const down = new ModelError({ kind: 'unavailable', message: 'a is down' });

describe('fallback', () => {
  it('asks the next model when one fails, and says so', async () => {
    const events: ModelEvent[] = [];
    const a = named('a', new ScriptedModel([down]));
    const b = named('b', new ScriptedModel(['from b']));
    const model = fallback([a, b], { onEvent: (event) => events.push(event) });
    assert.equal(model.id, 'fallback(a, b)');
    const reply = await model.complete(asking(), { signal });
    assert.equal(textOf(reply), 'from b');
    assert.equal(reply.model, 'b', 'who answered');
    assert.deepEqual(events, [{ type: 'fell_back', from: 'a', to: 'b', error: down }]);
  });

  it('lets a model that failed rest, then asks it first again', async () => {
    let now = 0;
    const a = new ScriptedModel([down, 'a again']);
    const b = new ScriptedModel(['b 1', 'b 2']);
    const model = fallback([a, b], { rest: 100, clock: () => now });
    assert.equal(textOf(await model.complete(asking(), { signal })), 'b 1');
    now = 50;
    assert.equal(textOf(await model.complete(asking(), { signal })), 'b 2');
    assert.equal(a.requests.length, 1);
    now = 150;
    assert.equal(textOf(await model.complete(asking(), { signal })), 'a again');
  });

  it('fails with the last error when all fail, and keeps the others', async () => {
    const last = new ModelError({ kind: 'rate_limited', message: 'b is busy', status: 429 });
    const model = fallback([new ScriptedModel([down]), new ScriptedModel([last])]);
    await assert.rejects(model.complete(asking(), { signal }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.deepEqual([error.kind, error.status], ['rate_limited', 429]);
      assert.match(error.message, /^b is busy \(2 models failed/);
      assert.ok(error.cause instanceof AggregateError);
      assert.deepEqual(error.cause.errors, [down, last]);
      return true;
    });
  });

  it('does not go on after an abort, nor once words were shown', async () => {
    const stop = new AbortController();
    const b = new ScriptedModel(['never']);
    const aborting: Model = {
      id: 'a',
      async complete() {
        stop.abort(new Error('enough'));
        throw stop.signal.reason;
      },
    };
    const request = fallback([aborting, b]).complete(asking(), { signal: stop.signal });
    await assert.rejects(request, /enough/);
    const showing: Model = {
      id: 'a',
      async complete(_, { onDelta }) {
        onDelta?.({ type: 'text', text: 'half' });
        throw down;
      },
    };
    const onDelta = () => {};
    await assert.rejects(
      fallback([showing, b]).complete(asking(), { signal, onDelta }),
      /a is down/,
    );
    assert.equal(b.requests.length, 0);
  });

  it('has the smallest window of its models', async () => {
    const models = [
      new ScriptedModel([], { contextLength: 8192 }),
      new ScriptedModel([], { contextLength: 4096 }),
      new ScriptedModel([]),
    ];
    assert.equal(await fallback(models).contextLength?.({ signal }), 4096);
    assert.equal(await fallback([new ScriptedModel([])]).contextLength?.({ signal }), undefined);
  });

  it('needs a model', () => assert.throws(() => fallback([]), { code: 'invalid_options' }));
});

describe('cascade', () => {
  const reply = says('ok');
  function three(onEvent?: (event: ModelEvent) => void) {
    const asked: string[] = [];
    const models = ['small', 'middle', 'big'].map(
      (id): Model => ({
        id,
        async complete() {
          asked.push(id);
          return reply;
        },
      }),
    );
    return { asked, model: cascade(models, { onEvent }), models };
  }

  it('asks the smallest until replies are refused twice in a row, then the next', async () => {
    const events: ModelEvent[] = [];
    const { asked, model } = three((event) => events.push(event));
    const rounds = [0, 1, 2, 3, 4, 9];
    for (const count of rounds) {
      const history = Array.from({ length: count }, () => refused).flat();
      const { model: answered } = await model.complete(asking(...history), { signal });
      assert.equal(answered, asked.at(-1), 'who answered');
    }
    assert.deepEqual(asked, ['small', 'small', 'middle', 'middle', 'big', 'big']);
    assert.deepEqual(events[0], { type: 'escalated', to: 'middle', level: 1, refusals: 2 });
    assert.equal(events.length, 4);
  });

  it('goes back to the smallest after an accepted reply', async () => {
    const { asked, model } = three();
    const accepted = [assistant(call()), result('sunny')];
    await model.complete(asking(...refused, ...refused, ...accepted), { signal });
    assert.deepEqual(asked, ['small']);
  });

  it('begins higher where it is told to', async () => {
    const { asked, models } = three();
    const model = cascade(models, { level: ({ tools }) => tools.length * 7 });
    await model.complete(asking(), { signal });
    assert.deepEqual(asked, ['big']);
  });

  it('needs a model', () => assert.throws(() => cascade([]), { code: 'invalid_options' }));
});
