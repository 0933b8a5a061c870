import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sleep } from './sleep.ts';

describe('sleep', () => {
  it('ends', () => sleep(1, new AbortController().signal));

  it('is cut short by an abort', async () => {
    const stop = new AbortController();
    const sleeping = sleep(1_000_000, stop.signal);
    stop.abort(new Error('up'));
    await assert.rejects(sleeping, /up/);
  });

  it('does not begin after an abort', () =>
    assert.rejects(sleep(1_000_000, AbortSignal.abort(new Error('up'))), /up/));
});
