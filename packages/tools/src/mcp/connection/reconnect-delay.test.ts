import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultReconnect, reconnectDelay } from './reconnect-delay.ts';

describe('reconnectDelay', () => {
  const delay = (failures: number, chance: number) =>
    reconnectDelay(defaultReconnect, { failures, random: () => chance });

  it('doubles up to a longest one, half of it by chance', () => {
    assert.deepEqual(
      [1, 2, 3, 10].map((failures) => delay(failures, 1)),
      [1_000, 2_000, 4_000, 60_000],
    );
    assert.deepEqual(
      [1, 2, 3, 10].map((failures) => delay(failures, 0)),
      [500, 1_000, 2_000, 30_000],
    );
  });

  it('ends after a number of tries', () => {
    assert.notEqual(delay(defaultReconnect.attempts, 0), undefined);
    assert.equal(delay(defaultReconnect.attempts + 1, 0), undefined);
  });
});
