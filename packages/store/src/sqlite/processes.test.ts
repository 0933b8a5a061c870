import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from './open-sqlite-store.ts';

const storeModule = new URL('./open-sqlite-store.ts', import.meta.url).href;

/** Another process that makes a run and appends to it, saying each number once it is on disk. */
const writerScript = `
  const { openSqliteStore } = await import(process.argv[1]);
  const [, , file, id, count, synchronous] = process.argv;
  const store = await openSqliteStore({ file, synchronous });
  await store.createRun({ id, agent: 'x' });
  const [{ fence }] = await store.claim({ owner: id, ttl: 60000, limit: 1, runId: id });
  for (let seq = 0; seq < Number(count); seq += 1) {
    const happenings = [{ type: 'context.warned', level: 1, text: id }];
    await store.append({ runId: id, fence, expectedSeq: seq, happenings, at: Date.now() });
    process.stdout.write(seq + 1 + '\\n');
  }
  await store.close();
`;

describe('several processes on one file', () => {
  let folder: string;
  let file: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
    file = join(folder, 'store.db');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function startWriter(id: string, count: number, synchronous: 'full' | 'normal'): ChildProcess {
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        writerScript,
        storeModule,
        file,
        id,
        String(count),
        synchronous,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(child);
    return child;
  }

  it('writes all of what each of them writes', async () => {
    const ids = ['a', 'b', 'c'];
    const ends = ids.map((id) => {
      const child = startWriter(id, 150, 'normal');
      child.stdout?.resume();
      return once(child, 'exit');
    });
    for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
    const store = await openSqliteStore({ file });
    for (const id of ids) {
      const log = await store.events(id);
      assert.deepEqual(
        log.map(({ seq }) => seq),
        Array.from({ length: 150 }, (_, index) => index + 1),
      );
    }
    await store.close();
  });

  it('has everything on disk that was acknowledged before a kill', async () => {
    const store = await openSqliteStore({ file });
    for (const id of ['x', 'y', 'z']) {
      const child = startWriter(id, 1_000_000, 'full');
      assert.ok(child.stdout);
      let acknowledged = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line);
        if (acknowledged === 25) child.kill('SIGKILL');
      }
      const log = await store.events(id);
      assert.ok(
        log.length >= acknowledged && acknowledged >= 25,
        `${log.length} of ${acknowledged}`,
      );
      assert.deepEqual(
        log.map(({ seq }) => seq),
        log.map((_, index) => index + 1),
      );
      assert.equal((await store.run(id))?.seq, log.length);
    }
    await store.close();
  });

  it('hears of what the others write', async () => {
    const store = await openSqliteStore({ file });
    startWriter('a', 5, 'normal').stdout?.resume();
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { event } of store.changes({ signal: stop.signal })) {
      seen.push(event.seq);
      if (seen.length === 5) stop.abort();
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    await store.close();
  });
});
