import type { Plan } from '../../contracts.ts';

/** What is wrong with a plan that has the right shape; empty if nothing is. */
export function checkPlan({ tasks, acceptance }: Plan): readonly string[] {
  const known = new Set(tasks.map(({ id }) => id));
  const problems = [
    ...repeated(tasks).map((id) => `Two tasks have the id "${id}". Give each its own.`),
    ...repeated(acceptance).map(
      (id) => `Two acceptance checks have the id "${id}". Give each its own.`,
    ),
  ];
  for (const { id, dependsOn } of tasks) {
    for (const needed of dependsOn) {
      if (known.has(needed)) continue;
      problems.push(
        `Task "${id}" depends on "${needed}", which is no task. Tasks: ${[...known].join(', ')}.`,
      );
    }
  }
  const circle = findCircle(tasks);
  if (circle !== undefined) {
    problems.push(`Tasks wait for each other: ${circle.join(' → ')}. None of them could begin.`);
  }
  return problems;
}

function repeated(items: readonly { readonly id: string }[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of items) (seen.has(id) ? twice : seen).add(id);
  return [...twice];
}

function findCircle(tasks: Plan['tasks']): readonly string[] | undefined {
  const needs = new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn]));
  const safe = new Set<string>();
  const walk = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (safe.has(id)) return undefined;
    const at = path.indexOf(id);
    if (at >= 0) return [...path.slice(at), id];
    for (const next of needs.get(id) ?? []) {
      const circle = walk(next, [...path, id]);
      if (circle !== undefined) return circle;
    }
    safe.add(id);
    return undefined;
  };
  for (const { id } of tasks) {
    const circle = walk(id, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
