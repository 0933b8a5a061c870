import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyCheck } from './check-key.ts';

const check = createKeyCheck('right');

const rows: Record<string, { headers?: Record<string, string>; search?: string; is: string }> = {
  'no key at all': { is: 'This proxy wants a key.' },
  bearer: { headers: { authorization: 'Bearer right' }, is: 'in' },
  'bearer in any case, with spaces': { headers: { authorization: 'bEARER   right ' }, is: 'in' },
  'another scheme': { headers: { authorization: 'Basic right' }, is: 'This proxy wants a key.' },
  'the bare key': { headers: { authorization: 'right' }, is: 'This proxy wants a key.' },
  'x-api-key': { headers: { 'x-api-key': 'right' }, is: 'in' },
  'api-key': { headers: { 'api-key': 'right' }, is: 'in' },
  'x-goog-api-key': { headers: { 'x-goog-api-key': ' right' }, is: 'in' },
  'the query': { search: '?alt=sse&key=right', is: 'in' },
  'another field of the query': { search: '?monkey=right', is: 'This proxy wants a key.' },
  'a wrong key': { headers: { 'x-api-key': 'wrong' }, is: 'The key is not the one' },
  'a longer key': { headers: { 'x-api-key': 'rightright' }, is: 'The key is not the one' },
  'an empty key': { headers: { 'x-api-key': '' }, is: 'The key is not the one' },
  'a wrong and a right one': {
    headers: { authorization: 'Bearer wrong', 'x-api-key': 'right' },
    is: 'in',
  },
};
for (const [name, { headers = {}, search = '', is }] of Object.entries(rows)) {
  test(`${name}: ${is}`, () => {
    const refusal = check({ headers, search });
    if (is === 'in') assert.equal(refusal, undefined);
    else {
      assert.ok(refusal?.message.startsWith(is), refusal?.message);
      assert.equal(refusal?.status, 401);
      assert.ok(!refusal?.message.includes('right'));
    }
  });
}

test('without a key of the proxy everyone may come in', () => {
  assert.equal(createKeyCheck(undefined)({ headers: {}, search: '' }), undefined);
});
