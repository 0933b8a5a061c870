import { ForgeError } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { Approvals, ApprovalView } from '@forge/runtime';
import { printable } from '../printable.ts';
import { inBrief } from './words.ts';

const most = 500;

/** All that waits for somebody, oldest first. */
export async function pendingApprovals(approvals: Approvals): Promise<readonly ApprovalView[]> {
  const { items } = await approvals.list({ state: 'pending' }, { limit: most });
  return items.filter(({ state }) => state === 'pending').toReversed();
}

/** The approval of that id, or the only one that waits and begins so, also by the run it is of. */
export async function findApproval(approvals: Approvals, id: string): Promise<ApprovalView> {
  const exact = await approvals.get(id).catch((error: unknown) => {
    if (ForgeError.is(error, 'not_found')) return undefined;
    throw error;
  });
  if (exact !== undefined) return exact;
  const waiting = await pendingApprovals(approvals);
  const found =
    id.length < 4
      ? []
      : waiting.filter((view) =>
          [view.id, view.runId, view.rootId].some((name) => name.startsWith(id)),
        );
  const [only, ...others] = found;
  if (only === undefined) {
    throw new ForgeError(
      'not_found',
      `Nothing that waits has the id ${printable(id, 80)}. "forge approve --list" shows what does.`,
    );
  }
  if (others.length === 0) return only;
  const list = found.map((view) => `  ${inALine(view)}`).join('\n');
  throw new ForgeError(
    'invalid_options',
    `${found.length} approvals fit ${printable(id, 80)}. Write the whole id:\n${list}`,
  );
}

export function inALine({ id, agent, tool, effective }: ApprovalView): string {
  return `${printable(id)}  ${printable(bareAgent(agent))}: ${printable(tool)} ${inBrief(effective, 80)}`.trimEnd();
}
