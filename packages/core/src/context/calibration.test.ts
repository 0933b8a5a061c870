import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { calibrate, uncalibrated } from './calibration.ts';

test('approaches what the backend keeps reporting', () => {
  let known = uncalibrated;
  for (let turn = 0; turn < 20; turn++)
    known = calibrate(known, { estimated: 1000, reported: 1300 });
  assert.ok(Math.abs(known.ratio - 1.3) < 0.01);
  assert.equal(known.samples, 20);
});

test('one wild report moves it little', () => {
  const { ratio } = calibrate(uncalibrated, { estimated: 10, reported: 100_000 });
  assert.ok(ratio <= 1.3);
});

test('reports that cannot be true change nothing', () => {
  for (const reported of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(calibrate(uncalibrated, { estimated: 100, reported }), uncalibrated);
    assert.equal(calibrate(uncalibrated, { estimated: reported, reported: 100 }), uncalibrated);
  }
});

test('stays within bounds and moves toward each report, whatever is reported', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.double(), fc.double())), (reports) => {
      let known = uncalibrated;
      for (const [estimated, reported] of reports) {
        known = calibrate(known, { estimated, reported });
        assert.ok(known.ratio >= 0.5 && known.ratio <= 4);
      }
    }),
    { seed: 7 },
  );
});
