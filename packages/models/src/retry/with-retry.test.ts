import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ModelClient, toClient } from '../client/model-client.ts';
import {
  collect,
  finish,
  hello,
  never,
  says,
  start,
  textReply,
} from '../client/test-server.test.ts';
import { ModelError } from '../wire/model-error.ts';
import type { StreamEvent, WireReply } from '../wire/wire.ts';
import type { WireErrorKind } from '../wire/wire-error.ts';
import { type RetryEvent, type RetryOptions, withRetry } from './with-retry.ts';

type Try =
  | readonly StreamEvent[]
  | { readonly events: readonly StreamEvent[]; readonly fails: Error };

/** A client whose tries go as scripted; `reply` tells its text as deltas before it fails. */
function scripted(tries: readonly Try[]) {
  let asked = 0;
  async function* play(): AsyncGenerator<StreamEvent> {
    const next = tries[asked++];
    if (next === undefined) throw new Error('Asked once too often.');
    yield* 'events' in next ? next.events : next;
    if ('fails' in next) throw next.fails;
  }
  const client: ModelClient = toClient({
    id: 'scripted',
    stream: () => play(),
    async reply(_, { onDelta }): Promise<WireReply> {
      for await (const event of play()) if (event.type === 'text') onDelta?.(event);
      return textReply('done');
    },
    contextLength: async () => undefined,
  });
  return { client, asked: () => asked };
}

function failing(
  kind: WireErrorKind,
  more: { retryAfter?: number; after?: StreamEvent[] } = {},
): Try {
  const { after = [], ...rest } = more;
  return { events: after, fails: new ModelError({ kind, message: `It is ${kind}.`, ...rest }) };
}

const fine: Try = [start, says('ok'), finish];

/** Time that passes only by sleeping. */
function tested(tries: readonly Try[], options: RetryOptions = {}) {
  let now = 0;
  const events: RetryEvent[] = [];
  const { client, asked } = scripted(tries);
  const retrying = withRetry(client, {
    random: () => 0.5,
    clock: () => now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      now += ms;
    },
    onRetry: (event) => events.push(event),
    ...options,
  });
  return { retrying, asked, events, delays: () => events.map((event) => event.delay) };
}

describe('trying again', () => {
  it('waits longer each time and reports each', async () => {
    const { retrying, events, delays } = tested([
      failing('rate_limited'),
      failing('overloaded'),
      failing('unavailable'),
      fine,
    ]);
    await retrying.complete(hello, { signal: never });
    assert.deepEqual(delays(), [250, 500, 1000]);
    assert.deepEqual(
      events.map(({ attempt, error, model }) => [attempt, error.kind, model]),
      [
        [1, 'rate_limited', 'scripted'],
        [2, 'overloaded', 'scripted'],
        [3, 'unavailable', 'scripted'],
      ],
    );
  });

  for (const kind of [
    'auth',
    'bad_request',
    'context_overflow',
    'not_found',
    'content_filter',
  ] as const) {
    it(`is not done for ${kind}`, async () => {
      const { retrying, asked } = tested([failing(kind)]);
      await assert.rejects(retrying.complete(hello, { signal: never }), {
        message: `It is ${kind}.`,
      });
      assert.equal(asked(), 1);
    });
  }

  for (const kind of [
    'rate_limited',
    'overloaded',
    'unavailable',
    'timeout',
    'bad_response',
  ] as const) {
    it(`is done for ${kind}`, async () => {
      const { retrying, asked } = tested([failing(kind), fine]);
      await retrying.complete(hello, { signal: never });
      assert.equal(asked(), 2);
    });
  }

  it('ends after so many tries with the last error', async () => {
    const { retrying, asked } = tested([1, 2, 3, 4].map(() => failing('unavailable')));
    await assert.rejects(retrying.complete(hello, { signal: never }), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.kind, 'unavailable');
      assert.match(error.message, /tried 4 times/);
      return true;
    });
    assert.equal(asked(), 4);
  });

  it('ends sooner for answers that cannot be read', async () => {
    const { retrying, asked } = tested([1, 2, 3].map(() => failing('bad_response')));
    await assert.rejects(retrying.complete(hello, { signal: never }), /tried 3 times/);
    assert.equal(asked(), 3);
  });

  it('waits as long as the server asks, and not at all if that is too long', async () => {
    const asked = tested([failing('rate_limited', { retryAfter: 20_000 }), fine]);
    await asked.retrying.complete(hello, { signal: never });
    assert.deepEqual(asked.delays(), [20_250]);
    const tooLong = tested([failing('rate_limited', { retryAfter: 3_600_000 })]);
    await assert.rejects(tooLong.retrying.complete(hello, { signal: never }), /It is rate_limited/);
    assert.equal(tooLong.asked(), 1);
  });

  it('does not begin a wait that would end too late', async () => {
    const tries = [1, 2, 3].map(() => failing('rate_limited', { retryAfter: 40_000 }));
    const { retrying, asked } = tested(tries, { maxElapsed: 100_000 });
    await assert.rejects(retrying.complete(hello, { signal: never }), /tried 3 times/);
    assert.equal(asked(), 3);
  });

  it('stops waiting when the caller aborts', async () => {
    const stop = new AbortController();
    const { retrying, asked } = tested([failing('unavailable')], {
      onRetry: () => stop.abort(new Error('enough')),
    });
    await assert.rejects(retrying.complete(hello, { signal: stop.signal }), /enough/);
    assert.equal(asked(), 1);
  });

  it('leaves bugs alone', async () => {
    const { retrying, asked } = tested([{ events: [], fails: new TypeError('a bug') }]);
    await assert.rejects(retrying.complete(hello, { signal: never }), /a bug/);
    assert.equal(asked(), 1);
  });

  it('takes options that are set to nothing for not set', async () => {
    const tries = [1, 2, 3, 4].map(() => failing('unavailable'));
    const { retrying, asked } = tested(tries, { attempts: undefined });
    await assert.rejects(retrying.complete(hello, { signal: never }), /tried 4 times/);
    assert.equal(asked(), 4);
  });
});

describe('a stream that was cut', () => {
  const cutBefore = failing('bad_response', { after: [start] });
  const cutAfter = failing('bad_response', { after: [start, says('half')] });

  it('is begun again while nothing has been shown', async () => {
    const { retrying } = tested([cutBefore, fine]);
    const events = await collect(retrying.stream(hello, { signal: never }));
    assert.deepEqual(
      events.map((event) => event.type),
      ['start', 'text', 'finish'],
    );
    const shown: string[] = [];
    const again = tested([cutBefore, fine]);
    const onDelta = (delta: { text: string }) => shown.push(delta.text);
    await again.retrying.complete(hello, { signal: never, onDelta });
    assert.deepEqual(shown, ['ok']);
  });

  it('is final once a piece has been shown', async () => {
    const stream = tested([cutAfter, fine]);
    await assert.rejects(collect(stream.retrying.stream(hello, { signal: never })), /bad_response/);
    assert.equal(stream.asked(), 1);
    const deltas = tested([cutAfter, fine]);
    const asked = deltas.retrying.complete(hello, { signal: never, onDelta: () => {} });
    await assert.rejects(asked, /bad_response/);
    assert.equal(deltas.asked(), 1);
  });

  it('is begun again when nobody was listening', async () => {
    const { retrying, asked } = tested([cutAfter, fine]);
    await retrying.complete(hello, { signal: never });
    assert.equal(asked(), 2);
  });
});
