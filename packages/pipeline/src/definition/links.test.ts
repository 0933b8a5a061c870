import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inOrder } from './compile-pipeline.ts';
import { findCycles, linksOf, reachable, shortestPath } from './links.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const edges = fc.array(fc.record({ from: fc.constantFrom(...ids), to: fc.constantFrom(...ids) }), {
  maxLength: 14,
});

describe('the ways between nodes', () => {
  it('are in order exactly if there is no cycle; each cycle found is one', () => {
    fc.assert(
      fc.property(edges, (drawn) => {
        const links = linksOf(drawn);
        const cycles = findCycles(links, ids);
        const order = inOrder(ids, drawn);
        assert.deepEqual([...order].sort(), ids);
        const isOrdered = drawn.every(({ from, to }) => order.indexOf(from) < order.indexOf(to));
        assert.equal(cycles.length === 0, isOrdered);
        for (const cycle of cycles) {
          assert.equal(cycle[0], cycle.at(-1));
          for (const [index, id] of cycle.slice(1).entries()) {
            assert.ok(links.get(cycle[index] ?? '')?.includes(id));
          }
        }
      }),
    );
  });

  it('are found exactly if they are there, and none is shorter than the shortest', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom(...ids), fc.constantFrom(...ids), (drawn, from, to) => {
        const links = linksOf(drawn);
        const path = shortestPath(links, from, to);
        assert.equal(path !== undefined, reachable(links, from).has(to));
        if (path === undefined) return;
        assert.deepEqual([path[0], path.at(-1)], [from, to]);
        assert.equal(new Set(path.slice(1)).size, path.length - 1);
        for (const [index, id] of path.slice(1).entries()) {
          assert.ok(links.get(path[index] ?? '')?.includes(id));
        }
      }),
    );
  });
});
