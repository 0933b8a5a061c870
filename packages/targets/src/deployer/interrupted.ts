import { ForgeError } from '@forge/core';
import type { DeploymentRow, DeploymentState, DeploymentStore } from '@forge/store';
import type { Place } from './deployer.ts';

/** Why a deployment failed that was told to stop. The same id again goes on with it. */
const stopped = 'It was stopped before it had the traffic.';

/** How many are looked for: one process at a time deploys, so there is seldom more than one. */
const mostRows = 100;

/**
 * Writes down that a deployment was told to stop, once that is certain: at once while it is built, and
 * after its target has let go when it starts. Whoever stops it may not wait for that, and end.
 */
export function stopRecorder(deployments: DeploymentStore, id: string, now: () => number) {
  const record = async (from: readonly DeploymentState[]): Promise<void> => {
    await deployments
      .change(id, from, { state: 'failed', reason: stopped, endedAt: now() })
      .catch(ignoreSettled);
  };
  const onAbort = () => void record(['building']).catch(() => {});
  return {
    onAbort,
    /** It does not have the traffic. */
    settled: () => record(['building', 'starting']),
  };
}

/** The row to go on with; the same one where nobody stopped it. */
export async function goOn(
  deployments: DeploymentStore,
  row: DeploymentRow,
): Promise<DeploymentRow> {
  if (row.state !== 'failed' || row.reason !== stopped) return row;
  return await deployments.change(row.id, ['failed'], {
    ...{ state: 'building', reason: undefined, endedAt: undefined },
  });
}

/**
 * Deployments that a process left under way when it died. Whoever has the lock knows that nobody is
 * at them, and that this one comes after them: they are not gone on with.
 */
export async function failLeftOver(
  deployments: DeploymentStore,
  { project, target }: Place,
  {
    state,
    by,
    now,
  }: { readonly state: DeploymentState; readonly by: string; readonly now: number },
): Promise<void> {
  const { items } = await deployments.list({ project, target, state }, { limit: mostRows });
  const reason = `It was interrupted, and ${by} came after it.`;
  for (const { id } of items) {
    if (id === by) continue;
    await deployments
      .change(id, [state], { state: 'failed', reason, endedAt: now })
      .catch(ignoreSettled);
  }
}

/** Somebody else wrote down meanwhile what became of it. */
function ignoreSettled(error: unknown): void {
  if (!ForgeError.is(error, 'seq_conflict')) throw error;
}
