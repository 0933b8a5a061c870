import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { defineAgent, type Model, type RunEvent, textOf } from '@forge/core';
import { says } from '@forge/core/testing';
import { openStore } from '@forge/store';
import { openTestSqlite, sharedPostgres } from '@forge/store/testing';
import { createRuntime } from '../src/control/create-runtime.ts';
import type { StopPoint } from '../src/session/session-host.ts';
import { type Crash, MortalWorker } from './interleavings/mortal-worker.ts';

const ttl = 1_000;
const agents = [defineAgent({ name: 'a' }), defineAgent({ name: 'desk', standing: true })];
/** Answers to what was said last. */
const model: Model = {
  id: 'echo',
  complete: async ({ messages }) => {
    const last = messages.findLast(({ role }) => role === 'user');
    return says(last?.role === 'user' ? `Re: ${textOf(last)}` : 'Re:');
  },
};

async function openSqlite(now: () => number) {
  const database = await openTestSqlite({ now });
  const store = await database.connect();
  return { store, remove: () => database.remove() };
}

async function openPostgres(now: () => number) {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  return { store: await openStore(url, { now }), remove: () => postgres.dropDatabase(url) };
}

for (const [name, open] of [
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
] as const) {
  async function ground() {
    const clock = { now: Date.UTC(2026, 10, 15) };
    const now = () => clock.now;
    const { store, remove } = await open(now);
    after(async () => {
      await store.close();
      await remove();
    });
    /** Works until nothing is due, or until it dies; then its lease runs out. */
    const work = async (crash?: Crash, onPoint?: (point: StopPoint) => Promise<void>) => {
      const life = { crash, ...(onPoint !== undefined && { onPoint }) };
      const worker = new MortalWorker(store, {
        agents,
        model,
        now,
        interrupted: 'tell_model',
        ...life,
      });
      const end = await worker.work(ttl);
      if (end === 'died') clock.now += ttl;
      return end;
    };
    const log = async (runId: string) =>
      (await store.events(runId, { limit: 1_000 })).filter(
        (event): event is RunEvent => 'v' in event,
      );
    return { store, runtime: createRuntime({ store, now }), work, log };
  }

  describe(`what is said to a run in the moment it ends, on ${name}`, () => {
    const crashes: readonly (Crash & { readonly what: string; readonly answers: string })[] = [
      {
        what: 'before it has written down that it heard it',
        point: 'before_append',
        times: 3, // The first begins the run, the second is refused.
        answers: 'Re: Second.',
      },
      {
        what: 'after it has',
        point: 'after_append',
        times: 2,
        answers: 'Re: First. Re: Second.',
      },
    ];
    for (const { what, answers, ...crash } of crashes) {
      it(`is answered though its worker dies ${what}`, { timeout: 600_000 }, async () => {
        const { store, runtime, work, log } = await ground();
        const { id } = await runtime.launch('a', 'First.');
        const ended = runtime.ended(id);
        let writes = 0;
        const died = await work(crash, async (point) => {
          if (point !== 'before_append') return;
          writes += 1;
          if (writes === 2) await runtime.send(id, 'Second.');
        });
        assert.equal(died, 'died');
        assert.equal((await store.run(id))?.state, 'open');
        assert.equal(await work(), 'rests');

        const { run, state } = await ended;
        assert.deepEqual([run.state, run.leaseOwner], ['completed', undefined]);
        assert.equal(state.output?.text, 'Re: Second.', 'no end is told of that is taken back');
        assert.deepEqual(await store.inbox(id), []);
        const events = await log(id);
        assert.equal(
          events.flatMap((each) => (each.type === 'reply.answered' ? [each.text] : [])).join(' '),
          answers,
        );
        const heard = events.filter(({ type }) => type === 'input.received');
        assert.equal(heard.length, 1);
        const before = [await store.run(id), await store.stats()];
        await store.rebuild();
        assert.deepEqual([await store.run(id), await store.stats()], before);
      });
    }

    for (const point of ['before_append', 'after_append'] as const) {
      it(`is put away page by page if nobody is to hear it (dies ${point})`, {
        timeout: 600_000,
      }, async () => {
        const { store, runtime, work, log } = await ground();
        const { id } = await runtime.launch('desk', 'First.');
        await work();
        await runtime.cancel(id);
        const flood = Array.from({ length: 250 }, (_, payload) => ({ kind: 'input', payload }));
        let writes = 0;
        // The end is refused twice; the third write leaves the rest to a later one.
        const crash = { point, times: point === 'before_append' ? 3 : 1 };
        const died = await work(crash, async (passed) => {
          if (passed !== 'before_append') return;
          writes += 1;
          if (writes === 1) await Promise.all(flood.map((each) => store.send(id, each)));
        });
        assert.equal(died, 'died');
        assert.equal((await store.run(id))?.state, 'open');
        assert.equal(await work(), 'rests');
        assert.equal((await store.run(id))?.state, 'cancelled');
        assert.deepEqual(await store.inbox(id), []);
        const ends = (await log(id)).filter(({ type }) => type === 'run.finished');
        assert.equal(ends.length, 1);
      });
    }
  });
}
