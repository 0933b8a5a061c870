import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { temporaryFolder } from '../testing/open-hub.ts';
import { fileStored } from './file-stored.ts';

const schema = z.object({ count: z.number() });
const storedAt = (path: string) => fileStored({ path, schema, empty: { count: 0 } });

describe('a value in a file', () => {
  it('is empty at first, then what was written, for its owner only', async (test) => {
    const path = join(temporaryFolder(test), 'deep', 'value.json');
    const stored = storedAt(path);
    assert.deepEqual(await stored.read(), { count: 0 });
    await stored.update(({ count }) => ({ count: count + 1 }));
    assert.deepEqual(await storedAt(path).read(), { count: 1 });
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('loses no change of several writers, in one process or in more', async (test) => {
    const folder = temporaryFolder(test);
    const path = join(folder, 'value.json');
    const writers = [storedAt(path), storedAt(path)];
    const module = new URL('file-stored.ts', import.meta.url).href;
    const script = `
      const { fileStored } = await import(${JSON.stringify(module)});
      const z = await import(${JSON.stringify(import.meta.resolve('zod'))});
      const stored = fileStored({ path: ${JSON.stringify(path)}, schema: z.object({ count: z.number() }), empty: { count: 0 } });
      for (let i = 0; i < 10; i++) await stored.update(({ count }) => ({ count: count + 1 }));`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'inherit',
    });
    test.after(() => other.kill('SIGKILL'));
    const exit = once(other, 'exit');
    const increments = writers.flatMap((stored) =>
      Array.from({ length: 10 }, () => stored.update(({ count }) => ({ count: count + 1 }))),
    );
    await Promise.all(increments);
    assert.deepEqual(await exit, [0, null]);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).count, 30);
    assert.deepEqual(readdirSync(folder), ['value.json']);
  });

  it('is not held by a writer that died', async (test) => {
    const path = join(temporaryFolder(test), 'value.json');
    // Of another start of the machine: whoever it was is gone.
    writeFileSync(`${path}.lock`, '12-345-0000000012345');
    await storedAt(path).update(() => ({ count: 5 }));
    assert.deepEqual(await storedAt(path).read(), { count: 5 });
  });

  it('is not guessed at when it cannot be read', async (test) => {
    const path = join(temporaryFolder(test), 'value.json');
    writeFileSync(path, '{"count": "many"}');
    await assert.rejects(storedAt(path).read(), /value.json cannot be used.*count/s);
    await assert.rejects(
      storedAt(path).update(() => ({ count: 1 })),
      /cannot be used/,
    );
    assert.equal(readFileSync(path, 'utf8'), '{"count": "many"}');
  });

  it('tells of changes by others', async (test) => {
    const path = join(temporaryFolder(test), 'value.json');
    const told = Promise.withResolvers<void>();
    const stop = storedAt(path).watch(told.resolve);
    test.after(stop);
    await storedAt(path).update(() => ({ count: 1 }));
    const alive = setInterval(() => {}, 1_000);
    await told.promise.finally(() => clearInterval(alive));
  });
});
