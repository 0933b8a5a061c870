import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError, type Slot } from '@forge/core';
import * as z from 'zod';
import type { ProxyEvent } from '../proxy-event.ts';
import { usageReportSchema } from '../stats/usage-report.ts';
import { type ServedWorkers, serveWorkers } from './serve-workers.ts';

const entry = new URL('./stand-in-worker.test.ts', import.meta.url);
const backend = { url: 'http://127.0.0.1:1' };
const answerSchema = z.object({ answer: z.unknown(), key: z.unknown(), error: z.unknown() });

/** A client whose connection stays with one worker. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string) {
    const asked = request(`${this.#url}${path}`, { agent: this.#agent });
    asked.end();
    const [response] = await once(asked, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return answerSchema.partial().parse(JSON.parse(text));
  }

  async answer(path: string): Promise<unknown> {
    return (await this.ask(path)).answer;
  }

  close() {
    this.#agent.destroy();
  }
}

/** One client for each of two workers. Waits for one that is only starting. */
async function clientsOfBoth(url: string): Promise<[Client, Client, number]> {
  const first = new Client(url);
  const pid = await first.answer('/pid');
  for (;;) {
    const second = new Client(url);
    if ((await second.answer('/pid')) !== pid) return [first, second, z.number().parse(pid)];
    second.close();
  }
}

/** Asks until it is so. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

describe('serveWorkers', { timeout: 600_000 }, () => {
  const told: ProxyEvent[] = [];
  const notices: string[] = [];
  const bugs: unknown[] = [];
  const stop = new AbortController();
  let folder = '';
  let served: ServedWorkers;
  let slot: Slot;
  let first: Client;
  let second: Client;
  let pid = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forge-cluster-'));
    const learn = join(folder, 'lessons.json');
    const onEvent = (event: ProxyEvent) => told.push(event);
    const onBug = (error: unknown) => bugs.push(error);
    const onNotice = (notice: string) => notices.push(notice);
    const shared = { serialize: true, sessions: true, learn, onEvent, onBug, onNotice };
    served = await serveWorkers({
      workers: 2,
      entry,
      options: { backend, port: 0, apiKey: 'key of callers', ...shared },
      grace: 30_000,
      signal: stop.signal,
    });
    assert.ok(served.state.slot);
    slot = served.state.slot;
    [first, second, pid] = await clientsOfBoth(served.url);
  });
  after(async () => {
    first.close();
    second.close();
    await served.close({ grace: 0 });
    await rm(folder, { recursive: true });
  });

  it('gives every worker its options', async () => {
    assert.equal((await first.ask('/pid')).key, 'key of callers');
    assert.equal((await second.ask('/pid')).key, 'key of callers');
  });

  it('never gives a slot of one to two workers at once, and serves everyone', async () => {
    const held = z.object({ pid: z.number(), from: z.number(), to: z.number() });
    const more = Array.from({ length: 16 }, () => new Client(served.url));
    const everyone = [first, second, ...more];
    const holds = await Promise.all(
      everyone.flatMap((client) => [0, 1, 2].map(() => client.answer('/hold'))),
    );
    const spans = holds.map((hold) => held.parse(hold)).sort((a, b) => a.from - b.from);
    assert.equal(spans.length, everyone.length * 3);
    assert.equal(new Set(spans.map((span) => span.pid)).size, 2);
    spans.slice(1).forEach(({ from }, at) => {
      assert.ok(from >= (spans[at]?.to ?? 0), 'held twice at once');
    });
    await until(() => slot.holding === 0);
    for (const client of more) client.close();
  });

  it('tells of failures of its own', async () => {
    await second.ask('/fail');
    await until(() => bugs.length === 1);
    const [bug] = bugs;
    assert.ok(bug instanceof Error && bug.message === 'a bug');
    assert.match(bug.stack ?? '', /stand-in-worker/);
  });

  it('forgets the place of a request that gave up', async () => {
    const blocker = await slot.acquire();
    assert.equal(await second.answer('/give-up'), 'cancelled');
    await until(() => slot.waiting === 0);
    blocker.release();
  });

  it('shows in one worker the progress another saved', async () => {
    assert.equal(await second.answer('/load'), undefined);
    await first.answer('/save?retries=3');
    const loaded = z.object({ retries: z.literal(3) });
    await until(async () => loaded.safeParse(await second.answer('/load')).success);
  });

  it('adds up what all workers count, and tells of every request', async () => {
    await Promise.all([first.answer('/record?count=250'), second.answer('/record?count=333')]);
    const counted = async (client: Client) =>
      usageReportSchema.parse(await client.answer('/report')).total.requests;
    await until(async () => (await counted(first)) === 583);
    assert.equal(await counted(second), 583);
    assert.equal(told.length, 583);
    assert.match(String(await second.answer('/metrics')), /outcome="clean"} 583\n/);
  });

  it('advises in one worker by what another saw', async () => {
    assert.equal(await second.answer('/advise'), 'native');
    await first.answer('/record?failing&count=80');
    await until(async () => (await second.answer('/advise')) === 'prompt');
    const lessons = z.record(z.string(), z.object({ requests: z.number() }));
    await until(async () => lessons.parse(await second.answer('/lessons')).m?.requests === 663);
  });

  it('frees what a killed worker held, and starts another', async () => {
    await first.answer('/keep');
    const waiting = second.answer('/hold');
    await until(() => slot.waiting === 1);
    process.kill(pid, 'SIGKILL');
    await waiting;
    await until(() => slot.holding === 0);
    first.close();
    second.close();
    const killed = pid;
    [first, second, pid] = await clientsOfBoth(served.url);
    assert.notEqual(pid, killed);
    assert.deepEqual(notices, ['A worker is started again in 100 ms: it was ended by SIGKILL.']);
    assert.equal(await first.answer('/advise'), 'prompt');
    assert.equal(await second.answer('/advise'), 'prompt');
  });

  it('lets requests under way finish when it is told to stop, and loses no event', async () => {
    await Promise.all([first.answer('/record?count=33'), second.answer('/record?count=44')]);
    const blocker = await slot.acquire();
    const answer = first.answer('/hold');
    await until(() => slot.waiting === 1);
    stop.abort();
    blocker.release();
    assert.ok(await answer);
    await served.close();
    assert.equal((await served.state.stats.report()).total.requests, 740);
    const kept = JSON.parse(await readFile(join(folder, 'lessons.json'), 'utf8'));
    assert.equal(kept.models.m.requests, 740);
    await assert.rejects(new Client(served.url).ask('/pid'), /ECONNREFUSED/);
  });
});

describe('serveWorkers that cannot serve', { timeout: 600_000 }, () => {
  it('rejects when the port is taken, and leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await assert.rejects(
      serveWorkers({ workers: 2, entry, options: { backend, port } }),
      /No worker could be started: .*EADDRINUSE/,
    );
    assert.deepEqual(Object.keys(cluster.workers ?? {}), []);
    other.close();
  });

  it('refuses a number of workers that is none', async () => {
    await assert.rejects(serveWorkers({ workers: 0, options: { backend } }), (error) =>
      ForgeError.is(error, 'invalid_options'),
    );
  });

  it('ends with its primary, and says so to who waits', async () => {
    const program = fileURLToPath(new URL('./stand-in-primary.test.ts', import.meta.url));
    const primary = fork(program, ['serve'], { execArgv: [] });
    const url = z.string().parse((await once(primary, 'message'))[0]);
    const [first, second] = await clientsOfBoth(url);
    await first.answer('/keep');
    const waiting = second.ask('/hold');
    await once(primary, 'message');
    primary.kill('SIGKILL');
    assert.match(String((await waiting).error), /main process of the proxy has ended/);
    await assert.rejects(async () => {
      for (;;) await new Client(url).ask('/pid');
    });
    first.close();
    second.close();
  });
});
