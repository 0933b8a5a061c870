import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { differences } from './differences.ts';

describe('differences', () => {
  it('names the path, what there was and what there is', () => {
    const was = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Oslo' }] }], n: 1 };
    const is = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Rome' }] }], n: '1' };
    assert.deepEqual(differences(was, is), [
      'messages[0].content[0].text: recorded "Oslo", now "Rome"',
      'n: recorded 1, now "1"',
    ]);
  });

  it('shows what is missing and what is new', () => {
    assert.deepEqual(differences({ a: [1], b: 2 }, { a: [1, 2] }), [
      'a[1]: recorded nothing, now 2',
      'b: recorded 2, now nothing',
    ]);
  });

  it('is not fooled by the names every object has', () => {
    assert.deepEqual(differences({}, { toString: 1 }), ['toString: recorded nothing, now 1']);
  });

  it('shows long texts from where they part', () => {
    const same = 'x'.repeat(1000);
    const [line = ''] = differences({ text: `${same}Oslo` }, { text: `${same}Rome` });
    assert.match(line, /^text: recorded …"x{15}Oslo", now …"x{15}Rome"$/);
  });

  it('stops after a few lines and counts the rest', () => {
    const lines = differences(Array(20).fill(1), Array(20).fill(2));
    assert.equal(lines.length, 6);
    assert.equal(lines.at(-1), '… and 15 more');
  });

  it('finds none between a value and its copy, and some between values that differ', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (one, other) => {
        const [was, is] = [JSON.parse(one), JSON.parse(other)];
        assert.deepEqual(differences(was, structuredClone(was)), []);
        if (differences(was, is).length === 0) assert.deepEqual(was, is);
      }),
    );
  });
});
