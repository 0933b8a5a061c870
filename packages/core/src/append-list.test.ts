import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type AppendList, append, emptyList, itemsOf } from './append-list.ts';

describe('AppendList', () => {
  it('behaves like a copied array in every version, however they fork', () => {
    const steps = fc.array(fc.record({ from: fc.nat(), item: fc.integer() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (appends) => {
        const lists: AppendList<number>[] = [emptyList()];
        const arrays: number[][] = [[]];
        for (const { from, item } of appends) {
          const index = from % lists.length;
          lists.push(append(lists[index] ?? emptyList(), item));
          arrays.push([...(arrays[index] ?? []), item]);
        }
        assert.deepEqual(
          lists.map((list) => [...itemsOf(list)]),
          arrays,
        );
      }),
    );
  });

  it('shares its buffer while it only grows', () => {
    const one = append(emptyList<number>(), 1);
    const two = append(one, 2);
    assert.equal(two.buffer, one.buffer);
  });
});
