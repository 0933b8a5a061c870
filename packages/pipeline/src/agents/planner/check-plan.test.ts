import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Plan, planSchema } from '../../contracts.ts';
import { checkPlan } from './check-plan.ts';

function plan(tasks: Record<string, readonly string[]>): Plan {
  return planSchema.parse({
    summary: 's',
    tasks: Object.entries(tasks).map(([id, dependsOn]) => ({
      id,
      title: id,
      description: id,
      dependsOn,
    })),
  });
}

describe('a plan', () => {
  it('of tasks that wait for earlier ones is right', () => {
    assert.deepEqual(checkPlan(plan({ a: [], b: ['a'], c: ['a', 'b'] })), []);
  });

  it('that waits for an unknown task is told which there are', () => {
    assert.deepEqual(checkPlan(plan({ a: ['z'] })), [
      'Task "a" depends on "z", which is no task. Tasks: a.',
    ]);
  });

  it('whose tasks wait for each other is shown the circle', () => {
    const [problem] = checkPlan(plan({ a: ['b'], b: ['c'], c: ['b'] }));
    assert.match(problem ?? '', /wait for each other: b → c → b/);
  });

  it('that names two things alike is told so', () => {
    const twice = plan({ a: [] });
    const problems = checkPlan({ ...twice, tasks: [...twice.tasks, ...twice.tasks] });
    assert.match(problems.join(), /Two tasks have the id "a"/);
  });

  it('is right exactly if its tasks can be done in some order', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const graph = fc.record(
      Object.fromEntries(ids.map((id) => [id, fc.uniqueArray(fc.constantFrom(...ids))])),
    );
    fc.assert(
      fc.property(graph, (tasks) => {
        assert.equal(checkPlan(plan(tasks)).length === 0, canBeDone(tasks));
      }),
    );
  });
});

/** Does what can be done until nothing can. */
function canBeDone(tasks: Record<string, readonly string[]>): boolean {
  const done = new Set<string>();
  const left = new Map(Object.entries(tasks));
  for (let before = -1; before !== done.size; ) {
    before = done.size;
    for (const [id, needs] of left) {
      if (!needs.every((need) => done.has(need))) continue;
      done.add(id);
      left.delete(id);
    }
  }
  return left.size === 0;
}
