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

test('the screen is the standard errors, with the size they have at that moment', () => {
  const listeners = new Set<() => void>();
  const stderr = {
    ...stream(true, 40),
    rows: 10,
    on: (_: 'resize', listener: () => void) => listeners.add(listener),
    off: (_: 'resize', listener: () => void) => listeners.delete(listener),
  };
  const { screen } = createTerminal({ config: unset, stdout: stream(false), stderr });
  screen.write('x');
  assert.deepEqual([screen.canRedraw, screen.columns, screen.rows], [true, 40, 10]);
  assert.deepEqual(stderr.written, ['x']);
  assert.notEqual(screen.style('red', 'x'), 'x', 'coloured by itself, whatever the output is');
  stderr.columns = 20;
  assert.equal(screen.columns, 20);
  const stop = screen.onResize(() => {});
  assert.equal(listeners.size, 1);
  stop();
  assert.equal(listeners.size, 0);
});

test('nothing is drawn over where nobody looks', () => {
  const { screen } = createTerminal({
    config: { color: undefined, columns: 33 },
    stdout: stream(true),
    stderr: stream(false),
  });
  assert.deepEqual([screen.canRedraw, screen.columns, screen.rows], [false, 33, 24]);
  assert.equal(screen.style('red', 'x'), 'x');
});
