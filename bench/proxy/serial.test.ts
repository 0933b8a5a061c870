import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemplate, fillTemplate } from './serial.ts';

test('puts the number in every place and leaves the rest alone', () => {
  const template = createTemplate((serial) => `{"id":"call_${serial}","again":"${serial}"}`);
  assert.equal(
    String(fillTemplate(template, 1234)),
    '{"id":"call_0000001234","again":"0000001234"}',
  );
  assert.equal(
    String(fillTemplate(template, 9_876_543_210)),
    '{"id":"call_9876543210","again":"9876543210"}',
  );
});

test('bytes without a place come back as they are', () => {
  assert.equal(
    String(
      fillTemplate(
        createTemplate(() => 'data: [DONE]\n\n'),
        5,
      ),
    ),
    'data: [DONE]\n\n',
  );
});
