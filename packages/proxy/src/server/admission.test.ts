import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAdmission } from './admission.ts';

test('lets in as many as there is room for, and the rest in the order they came', () => {
  const door = createAdmission({ concurrency: 2, queue: 3 });
  const came: string[] = [];
  assert.ok(door.tryEnter());
  assert.ok(door.tryEnter());
  assert.equal(door.tryEnter(), false);
  for (const name of ['a', 'b', 'c']) assert.ok(door.wait(() => came.push(name)));
  assert.equal(
    door.wait(() => came.push('d')),
    undefined,
  );
  assert.deepEqual([door.inFlight, door.waiting], [2, 3]);
  door.leave(10);
  assert.deepEqual(came, ['a']);
  assert.equal(door.tryEnter(), false, 'nobody gets in before those who wait');
  door.leave(10);
  door.leave(10);
  assert.deepEqual(came, ['a', 'b', 'c']);
  assert.deepEqual([door.inFlight, door.waiting], [2, 0]);
  door.leave(10);
  door.leave(10);
  assert.ok(door.tryEnter());
});

test('who leaves the line is not called, wherever in it they were', () => {
  for (const gone of [0, 1, 2]) {
    const door = createAdmission({ concurrency: 1, queue: 3 });
    door.tryEnter();
    const came: number[] = [];
    const leaves = [0, 1, 2].map((name) => door.wait(() => came.push(name)));
    leaves[gone]?.();
    leaves[gone]?.();
    assert.equal(door.waiting, 2);
    for (let at = 0; at < 3; at++) door.leave(1);
    assert.deepEqual(
      came,
      [0, 1, 2].filter((name) => name !== gone),
    );
    leaves[0]?.();
    assert.deepEqual([door.inFlight, door.waiting], [0, 0]);
  }
});

test('says to come back when those before are likely through, in 1 to 60 seconds', () => {
  const door = createAdmission({ concurrency: 2, queue: 10 });
  assert.equal(door.retryAfter(), 1_000);
  door.tryEnter();
  door.tryEnter();
  door.tryEnter();
  for (let at = 0; at < 9; at++) door.wait(() => {});
  door.leave(4_000);
  assert.equal(door.retryAfter(), (9 / 2) * 4_000);
  door.leave(10_000_000);
  assert.equal(door.retryAfter(), 60_000);
});

test('whatever comes and goes, never more than there is room for, and nobody is lost', () => {
  const step = fc.record({ what: fc.constantFrom('come', 'leave', 'give up'), who: fc.nat(20) });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 3 }),
      (steps, room) => {
        const door = createAdmission({ concurrency: room, queue: 4 });
        const inside = new Set<number>();
        const line = new Map<number, () => void>();
        const order: number[] = [];
        let next = 0;
        for (const { what, who } of steps) {
          if (what === 'come') {
            const name = next++;
            if (door.tryEnter()) inside.add(name);
            else {
              const leave = door.wait(() => {
                line.delete(name);
                order.push(name);
                inside.add(name);
              });
              if (leave !== undefined) line.set(name, leave);
              else assert.equal(line.size, 4);
            }
          } else if (what === 'leave' && inside.size > 0) {
            const name = [...inside][who % inside.size];
            if (name !== undefined) inside.delete(name);
            door.leave(1);
          } else if (what === 'give up' && line.size > 0) {
            const name = [...line.keys()][who % line.size] ?? -1;
            line.get(name)?.();
            line.delete(name);
          }
          assert.equal(door.inFlight, inside.size);
          assert.equal(door.waiting, line.size);
          assert.ok(inside.size <= room);
          assert.ok(line.size === 0 || inside.size === room);
        }
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});
