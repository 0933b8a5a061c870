import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError, type Happening } from '@forge/core';
import { finished, note, replied, requested, resumed } from '../conformance/happenings.ts';
import { hashOf, longestInline, prepareAppend } from './prepare-append.ts';

const step = {
  runId: 'r',
  fence: 1,
  expectedSeq: 4,
  at: Date.UTC(2026, 0, 2),
  happenings: [note('a')],
};

describe('prepareAppend', () => {
  it('numbers the events after the last one', () => {
    const { events } = prepareAppend({ ...step, happenings: [note('a'), requested()] });
    assert.deepEqual(
      events.map(({ seq, type }) => [seq, type]),
      [
        [5, 'context.warned'],
        [6, 'model.requested'],
      ],
    );
  });

  it('puts what is longer than a row should be under its hash, counting bytes', () => {
    const frame = JSON.stringify(note('')).length;
    const fits = note('x'.repeat(longestInline - frame));
    const wide = note('ü'.repeat((longestInline - frame) / 2 + 1));
    const { events, size } = prepareAppend({ ...step, happenings: [fits, wide] });
    assert.equal(events[0]?.data?.length, longestInline);
    assert.equal(events[1]?.data, undefined);
    const bytes = Buffer.from(JSON.stringify(wide));
    assert.deepEqual(events[1]?.blob, { hash: hashOf(bytes), bytes });
    assert.equal(size, longestInline + bytes.length);
  });

  it('counts what the step adds', () => {
    const happenings = [
      requested(),
      replied({ usage: { inputTokens: 2, outputTokens: 1 } }),
      finished(),
    ];
    const { totals, day, daily } = prepareAppend({ ...step, happenings });
    assert.equal(totals.turns, 1);
    assert.equal(totals.inputTokens, 2);
    assert.equal(totals.end?.reason, 'answered');
    assert.equal(day, '2026-01-02');
    assert.equal(daily.length, 1);
    assert.equal(daily[0]?.totals.runs_completed, 1);
    assert.deepEqual(prepareAppend(step).daily, []);
  });

  it('knows progress from going on', () => {
    assert.equal(prepareAppend(step).progress, true);
    assert.equal(prepareAppend({ ...step, happenings: [resumed()] }).progress, false);
    assert.equal(prepareAppend({ ...step, happenings: [] }).progress, false);
    const asked = { callId: 'c', name: 't', message: 'Which?' };
    const asking: Happening[] = [
      { type: 'question.asked', ...asked },
      { type: 'question.closed', callId: 'c', asked: 1, outcome: 'withdrawn' },
    ];
    assert.equal(prepareAppend({ ...step, happenings: asking }).progress, false);
    assert.equal(prepareAppend({ ...step, happenings: [], state: 'failed' }).progress, true);
  });

  it('refuses a time that is none', () => {
    assert.throws(
      () => prepareAppend({ ...step, at: Number.NaN }),
      (error) => ForgeError.is(error, 'invalid_options'),
    );
    assert.equal(prepareAppend({ ...step, at: 12.7 }).at, 12);
  });
});
