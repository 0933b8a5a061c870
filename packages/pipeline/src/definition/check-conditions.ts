import { describeCondition } from './describe-condition.ts';
import { describeType } from './describe-type.ts';
import type { Fault } from './fault.ts';
import type { Condition, PipelineEdge, Ref, Test } from './pipeline-schema.ts';
import { accepts } from './schema-fits.ts';
import { givenBy, type Scope } from './value-type.ts';

/** What is wrong with the condition of an edge. It sees what its source sees, and its source. */
export function checkConditions(edge: PipelineEdge, scope: Scope): Fault[] {
  const path = [edge.from, edge.to];
  const problems = [
    ...testsOf(edge.when).flatMap((test) => checkTest(test, scope)),
    ...(edge.loop?.because === undefined ? [] : refProblems(edge.loop.because, scope)),
  ];
  return problems.map(({ problem, hint }) => ({ problem, path, at: 'edge' as const, hint }));
}

function testsOf(condition: Condition | undefined): readonly Test[] {
  if (condition === undefined) return [];
  if ('all' in condition) return condition.all.flatMap(testsOf);
  if ('any' in condition) return condition.any.flatMap(testsOf);
  return [condition];
}

function refProblems(ref: Ref, scope: Scope): { problem: string; hint: string }[] {
  return givenBy(ref, scope).flatMap((given) => (given.type === 'fault' ? [given] : []));
}

function checkTest(test: Test, scope: Scope): { problem: string; hint: string }[] {
  const wrong = refProblems(test.ref, scope);
  if (wrong.length > 0) return wrong;
  const all = givenBy(test.ref, scope);
  const values = [test.is, test.not, ...(test.in ?? [])].filter((value) => value !== undefined);
  const text = describeCondition(test);
  return values.flatMap((value) => {
    const isPossible = all.some((given) => given.type === 'given' && accepts(given.value, value));
    if (isPossible) return [];
    const types = all.flatMap((given) =>
      given.type === 'given' ? [describeType(given.value)] : [],
    );
    return [
      {
        problem: `The condition "${text}" compares with ${JSON.stringify(value)}, which it can never be.`,
        hint: `it is ${[...new Set(types)].join(' or ')}`,
      },
    ];
  });
}
