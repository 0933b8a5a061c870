import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from './seeded-random.ts';

const draw = (count: number, ...seeds: number[]) => {
  const random = seededRandom(...seeds);
  return Array.from({ length: count }, () => random.next());
};

describe('seededRandom', () => {
  it('draws the same for the same seeds, and something else for others', () => {
    assert.deepEqual(draw(20, 1, 2), draw(20, 1, 2));
    assert.notDeepEqual(draw(20, 1, 2), draw(20, 2, 1));
    assert.notDeepEqual(draw(20, 1, 2), draw(20, 1, 3));
    assert.notDeepEqual(draw(20, 0.5), draw(20, 0));
  });

  it('draws evenly, also as the first number of many seeds', () => {
    for (const numbers of [
      draw(4000, 7),
      Array.from({ length: 4000 }, (_, n) => draw(1, 7, n)[0] ?? -1),
    ]) {
      const tenths = Array(10).fill(0);
      for (const number of numbers) {
        assert.ok(number >= 0 && number < 1);
        tenths[Math.floor(number * 10)] += 1;
      }
      for (const count of tenths) assert.ok(count > 330 && count < 470, String(tenths));
    }
  });

  it('picks and shuffles without losing anything', () => {
    const random = seededRandom(3);
    const picked = new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])));
    assert.deepEqual([...picked].sort(), ['a', 'b', 'c']);
    assert.deepEqual(random.shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
  });
});
