import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTerminal } from './terminal.ts';

const unset = { color: undefined, columns: undefined };

function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

test('results and everything else go to different streams', () => {
  const stdout = stream(false);
  const stderr = stream(false);
  const terminal = createTerminal({ config: unset, stdout, stderr });
  terminal.out('result');
  terminal.err('careful');
  terminal.out();
  terminal.ask('why? ');
  assert.deepEqual(stdout.written, ['result\n', '\n', 'why? ']);
  assert.deepEqual(stderr.written, ['careful\n']);
});

test('colours only where a person looks, unless told otherwise', () => {
  const styled = (isTTY: boolean, inEnvironment?: boolean, inArguments?: boolean) =>
    createTerminal({
      config: { ...unset, color: inEnvironment },
      color: inArguments,
      stdout: stream(isTTY),
    }).style('red', 'x');
  const red = '\u001b[31mx\u001b[39m';
  assert.equal(styled(true), red);
  assert.equal(styled(false), 'x');
  assert.equal(styled(false, true), red);
  assert.equal(styled(true, false), 'x');
  assert.equal(styled(true, true, false), 'x');
});

test('is as wide as the environment says, else the stream, else 80', () => {
  const columns = (inEnvironment: number | undefined, ofStream: number | undefined) =>
    createTerminal({
      config: { ...unset, columns: inEnvironment },
      stdout: stream(true, ofStream),
    }).columns;
  assert.deepEqual(
    [columns(100, 120), columns(undefined, 120), columns(undefined, undefined)],
    [100, 120, 80],
  );
});
