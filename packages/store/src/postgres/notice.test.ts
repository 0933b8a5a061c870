import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readNotice, writeNotice } from './notice.ts';

test('what is written is read, and fits a payload of PostgreSQL', () => {
  const notice = fc.record({
    from: fc.uuid(),
    appended: fc.boolean(),
    woken: fc.option(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 100 }),
      {
        nil: undefined,
      },
    ),
  });
  fc.assert(
    fc.property(notice, (given) => {
      const text = writeNotice(given);
      assert.ok(Buffer.byteLength(text) < 8_000);
      const read = readNotice(text);
      assert.equal(read?.from, given.from);
      assert.equal(read?.appended, given.appended);
      // Too many to name become "some".
      if (read?.woken !== undefined) assert.deepEqual(read.woken, given.woken);
    }),
  );
});

test('whatever else is said is no notice', () => {
  fc.assert(fc.property(fc.string(), (text) => readNotice(text) === undefined));
  fc.assert(fc.property(fc.json(), (text) => void readNotice(text)));
});
