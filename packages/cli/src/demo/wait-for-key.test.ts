import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { waitForKey } from './wait-for-key.ts';

/** A keyboard that keeps what it was set to. */
function keyboard() {
  const modes: boolean[] = [];
  const stream = Object.assign(new PassThrough(), {
    isRaw: false,
    setRawMode: (raw: boolean) => modes.push(raw),
  });
  return { stream, modes };
}

describe('waiting for a key', () => {
  it('ends at any key, and leaves the terminal as it was', async () => {
    const { stream, modes } = keyboard();
    stream.write('x');
    assert.equal(await waitForKey(stream, new AbortController().signal), 'pressed');
    assert.deepEqual(modes, [true, false]);
  });

  it('tells Ctrl-C apart, also when it comes as a signal', async () => {
    const { stream, modes } = keyboard();
    stream.write('\u0003');
    assert.equal(await waitForKey(stream, new AbortController().signal), 'interrupted');
    assert.equal(await waitForKey(keyboard().stream, AbortSignal.abort()), 'interrupted');
    assert.deepEqual(modes, [true, false]);
  });
});
