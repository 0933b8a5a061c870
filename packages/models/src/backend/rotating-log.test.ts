import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { logTail } from './log-tail.ts';
import { RotatingLog } from './rotating-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'forge-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('keeps the current file and the one before, each within its size', () => {
  const path = join(folder, 'a.log');
  const log = new RotatingLog(path, 100);
  for (let line = 1; line <= 50; line++) log.write(`line ${line}\n`);
  log.close();
  assert.ok(statSync(path).size <= 100 && statSync(`${path}.1`).size <= 100);
  assert.deepEqual(logTail(path, 3), ['line 48', 'line 49', 'line 50']);
  const all = logTail(path, 1_000);
  assert.deepEqual(
    all,
    Array.from(all, (_, index) => `line ${51 - all.length + index}`),
  );
});

test('goes on with a file that is there, and keeps the end of what is too large', () => {
  const path = join(folder, 'b.log');
  const first = new RotatingLog(path, 10);
  first.write('1234');
  first.close();
  const second = new RotatingLog(path, 10);
  second.write('5678');
  assert.equal(readFileSync(path, 'utf8'), '12345678');
  second.write('abcdefghijklmno');
  second.close();
  assert.equal(readFileSync(path, 'utf8'), 'fghijklmno');
  assert.equal(readFileSync(`${path}.1`, 'utf8'), '12345678');
});

test('the tail of a large file begins with a whole line', () => {
  const path = join(folder, 'c.log');
  const log = new RotatingLog(path, 10_000_000);
  const line = 'x'.repeat(99);
  for (let count = 0; count < 5_000; count++) log.write(`${line}\n`);
  log.close();
  assert.ok(logTail(path, 10_000).every((each) => each === line));
});

test('a folder that is taken away costs lines, not the one who writes', () => {
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const path = join(gone, 'd.log');
  const log = new RotatingLog(path, 10);
  log.write('12345678');
  rmSync(gone, { recursive: true });
  for (const line of ['lost', 'lost too']) log.write(line);
  mkdirSync(gone);
  log.write('back');
  log.close();
  assert.equal(readFileSync(path, 'utf8'), 'back');
});

test('a full disk costs lines, not the one who writes', { skip: !existsSync('/dev/full') }, () => {
  const log = new RotatingLog('/dev/full', 10_000);
  log.write('lost');
  log.close();
});

test('there is no tail of no log', () => {
  assert.deepEqual(logTail(join(folder, 'none.log'), 10), []);
});
