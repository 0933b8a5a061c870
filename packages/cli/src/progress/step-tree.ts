import type { Progress, ProgressCall, Step } from './progress.ts';

/** A step in its place below others. */
export interface TreeRow {
  readonly step: Step;
  /** The how manieth of that name below the same parent. */
  readonly round: number;
  /** What stands before it, such as `│  └─ `. Empty at the top. */
  readonly branch: string;
}

/** The family from the top down, children below their parents. */
export function stepTree(progress: Progress, rootId: string): readonly TreeRow[] {
  const children = new Map<string, Step[]>();
  for (const step of progress.values()) {
    if (step.parentId === undefined || step.id === rootId) continue;
    const others = children.get(step.parentId);
    if (others === undefined) children.set(step.parentId, [step]);
    else others.push(step);
  }
  const rows: TreeRow[] = [];
  const root = progress.get(rootId);
  if (root === undefined) return rows;
  const place = (step: Step, at: { round: number; branch: string; below: string }) => {
    rows.push({ step, round: at.round, branch: at.branch });
    const own = children.get(step.id) ?? [];
    const rounds = new Map<string, number>();
    for (const [index, child] of own.entries()) {
      const isLast = index === own.length - 1;
      const round = (rounds.get(child.name) ?? 0) + 1;
      rounds.set(child.name, round);
      place(child, {
        round,
        branch: `${at.below}${isLast ? '└─ ' : '├─ '}`,
        below: `${at.below}${isLast ? '   ' : '│  '}`,
      });
    }
  };
  place(root, { round: 1, branch: '', below: '' });
  return rows;
}

/** What a step does itself: calls that are not the work of another one of the family. */
export function ownCalls(step: Step, progress: Progress): readonly ProgressCall[] {
  if (step.calls.length === 0) return [];
  const taken = new Set<string>();
  for (const { parentId, parentCallId } of progress.values()) {
    if (parentId === step.id && parentCallId !== undefined) taken.add(parentCallId);
  }
  return step.calls.filter(({ callId }) => !taken.has(callId));
}
