import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruleInWords, spanInWords, timeInWords } from './time-words.ts';

describe('time in words', () => {
  it('says a moment by the wall clock of a zone', () => {
    const at = Date.parse('2026-03-02T08:00:00Z');
    assert.equal(timeInWords(at, 'Europe/Berlin'), 'Mon, 2 Mar 2026, 09:00:00 GMT+1');
    assert.equal(timeInWords(at, 'UTC'), 'Mon, 2 Mar 2026, 08:00:00 GMT+0');
  });

  it('says a span in its two largest units', () => {
    assert.equal(spanInWords(0), '0 seconds');
    assert.equal(spanInWords(61_000), '1 minute 1 second');
    assert.equal(spanInWords(3 * 3_600_000), '3 hours');
    assert.equal(spanInWords(90_061_000), '1 day 1 hour');
    assert.equal(spanInWords(86_400_000 + 61_000), '1 day');
  });

  it('says a rule exactly', () => {
    const every = (ms: number) => ruleInWords({ type: 'every', every: ms, from: 0 }, 'UTC');
    assert.match(every(3_600_000), /^every hour from Thu, 1 Jan 1970/);
    assert.match(every(5_400_000), /^every 90 minutes from/);
    assert.match(every(1_500), /^every 1500 milliseconds from/);
    assert.equal(
      ruleInWords({ type: 'cron', cron: '0 9 * * *' }, 'Europe/Berlin'),
      'by the cron rule "0 9 * * *" in Europe/Berlin',
    );
  });
});
