import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { onLines } from '../keeper/read-lines.ts';
import { cutLog } from './cut-log.ts';
import { tryLock } from './file-lock.ts';
import { logTail } from './log-tail.ts';
import { readJson } from './read-json.ts';
import { safeName } from './safe-name.ts';
import { writeJson } from './write-json.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-files-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('cutLog', () => {
  it('keeps a log within its size while a process goes on writing', () => {
    const path = join(root, 'a.log');
    const file = openSync(path, 'a');
    for (let line = 0; line < 100; line += 1) {
      writeSync(file, `line ${line}\n`);
      cutLog(path, 50);
    }
    closeSync(file);
    assert.ok(statSync(path).size <= 50);
    assert.ok(statSync(`${path}.1`).size <= 60);
    assert.deepEqual(logTail(path, 3), ['line 97', 'line 98', 'line 99']);
  });

  it('keeps only the end of what came at once', () => {
    const path = join(root, 'burst.log');
    appendFileSync(path, `${'x'.repeat(1_000)}end`);
    cutLog(path, 50);
    assert.deepEqual([statSync(path).size, statSync(`${path}.1`).size], [0, 50]);
    assert.match(readFileSync(`${path}.1`, 'utf8'), /^x+end$/);
  });
});

describe('logTail', () => {
  it('is empty without a log, and whole for a small one', () => {
    assert.deepEqual(logTail(join(root, 'none'), 5), []);
    appendFileSync(join(root, 'b.log'), 'one\ntwo');
    assert.deepEqual(logTail(join(root, 'b.log'), 5), ['one', 'two']);
  });
});

describe('tryLock', () => {
  it('is for one at a time, also in one process, and ends with the process that has it', async () => {
    const path = join(root, 'lock');
    const release = tryLock(path);
    assert.ok(release);
    assert.equal(tryLock(path), undefined);
    release();
    const module = new URL('./file-lock.ts', import.meta.url).href;
    const program = `const { tryLock } = await import(${JSON.stringify(module)}); tryLock(${JSON.stringify(path)}); console.log('mine'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    assert.equal(tryLock(path), undefined);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const again = tryLock(path);
    assert.ok(again);
    again();
  });
});

describe('writeJson', () => {
  it('leaves one file, for its owner alone, that is read back', () => {
    mkdirSync(join(root, 'json'));
    const path = join(root, 'json', 'x.json');
    writeJson(path, { a: 1 });
    writeJson(path, { a: 2 });
    assert.deepEqual(readJson(path, z.object({ a: z.number() })), { a: 2 });
    assert.equal(readJson(path, z.object({ b: z.number() })), undefined);
    assert.deepEqual(readdirSync(join(root, 'json')), ['x.json']);
    assert.equal(statSync(path).mode & 0o077, 0);
    assert.equal(readFileSync(path, 'utf8').endsWith('\n'), true);
  });
});

describe('safeName', () => {
  it('leaves simple names as they are', () => {
    assert.equal(safeName('my-service_2'), 'my-service_2');
  });

  it('makes a name for files and containers of any text, another one for another text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        assert.match(safeName(a), /^[a-z0-9][a-z0-9_-]{0,63}$/);
        if (a !== b) assert.notEqual(safeName(a), safeName(b));
      }),
    );
  });

  it('gives the name it made for one text to no other, not even to that name', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const name = safeName(text);
        if (name !== text) assert.notEqual(safeName(name), name);
      }),
    );
  });
});

describe('onLines', () => {
  it('gives the same lines however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '))),
        fc.integer({ min: 1, max: 5 }),
        async (lines, size) => {
          const text = lines.map((line) => `${line}\n`).join('');
          const stream = new PassThrough();
          const seen: string[] = [];
          onLines(stream, { longest: 10_000, line: (line) => seen.push(line) });
          const bytes = Buffer.from(text);
          for (let at = 0; at < bytes.length; at += size)
            stream.write(bytes.subarray(at, at + size));
          stream.end();
          await once(stream, 'end');
          assert.deepEqual(seen, Buffer.from(text).toString().split('\n').slice(0, -1));
        },
      ),
      { numRuns: 50 },
    );
  });
});
