import { formatPath } from './format-path.ts';
import type { IssueSink } from './issue-sink.ts';
import type { SchemaNode } from './schema-node.ts';

const SHOWN = 3;

/**
 * Says why no branch of a union fits, for a reader who must fix it: the faults of the branch that
 * was plainly meant, or else what the branches want, in one line. Adds nothing if one fits.
 */
export function explainUnion({
  keyword,
  branches,
  value,
  sink,
}: {
  keyword: string;
  branches: readonly SchemaNode[];
  value: unknown;
  sink: IssueSink;
}): void {
  const depth = sink.path.length;
  let best: IssueSink[] = [];
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const branch of branches) {
    const findings = sink.fork();
    branch.explain(value, findings);
    const distance = distanceOf(findings, depth);
    if (distance === 0) return;
    if (distance < bestDistance) best = [];
    if (distance <= bestDistance) best.push(findings);
    bestDistance = Math.min(distance, bestDistance);
  }
  const [only] = best;
  if (only !== undefined && best.length === 1) {
    sink.take(only);
    return;
  }
  const wants = new Set(best.map((findings) => wantOf(findings, depth)));
  const shown = [...wants].slice(0, SHOWN).join(', or ');
  const more = wants.size > SHOWN ? `, or one of ${wants.size - SHOWN} other forms` : '';
  const expected = branches.length === 0 ? 'cannot be anything: no form is allowed' : shown + more;
  sink.add(keyword, expected, value);
}

/**
 * How far a value is from a branch: a wrong type or literal means another branch was meant, a
 * wrong literal one level down is a wrong tag of a tagged union, anything else is a mistake.
 */
function distanceOf(findings: IssueSink, depth: number): number {
  let distance = 0;
  for (const { path, keyword } of findings.issues) {
    const isChoice = keyword === 'type' || keyword === 'const' || keyword === 'enum';
    if (isChoice && path.length === depth) distance += 10_000;
    else if (keyword === 'const' && path.length === depth + 1) distance += 100;
    else distance += 1;
  }
  return distance;
}

function wantOf(findings: IssueSink, depth: number): string {
  const [issue] = findings.issues;
  const [expected] = findings.expected;
  if (issue === undefined || expected === undefined) return 'must be valid';
  const path = issue.path.slice(depth);
  return path.length === 0 ? expected : `${formatPath(path)} ${expected}`;
}
