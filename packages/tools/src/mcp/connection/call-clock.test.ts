import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { startCallClock } from './call-clock.ts';

describe('the clock of a call', () => {
  function start() {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    return startCallClock({ call: 100, callTotal: 250 }, { name: 't', now: () => Date.now() });
  }
  const stop = (clock: { stop(): void }) => {
    clock.stop();
    mock.timers.reset();
  };

  it('runs out after a time of silence', () => {
    const clock = start();
    mock.timers.tick(99);
    assert.equal(clock.signal.aborted, false);
    mock.timers.tick(1);
    assert.match(String(clock.signal.reason), /silent for 100 ms/);
    stop(clock);
  });

  it('starts over when something is heard, within the total', () => {
    const clock = start();
    for (let step = 0; step < 3; step++) {
      mock.timers.tick(80);
      clock.heard();
    }
    assert.equal(clock.signal.aborted, false);
    mock.timers.tick(10);
    assert.match(String(clock.signal.reason), /longer than 250 ms/);
    stop(clock);
  });

  it('stands still while a person is asked', () => {
    const clock = start();
    mock.timers.tick(90);
    clock.hold();
    mock.timers.tick(1_000_000);
    clock.heard();
    clock.release();
    mock.timers.tick(99);
    assert.equal(clock.signal.aborted, false);
    mock.timers.tick(1);
    assert.equal(clock.signal.aborted, true);
    stop(clock);
  });

  it('stops for good', () => {
    const clock = start();
    clock.stop();
    clock.heard();
    clock.release();
    mock.timers.tick(1_000);
    assert.equal(clock.signal.aborted, false);
    stop(clock);
  });
});
