import { ForgeError } from '@forge/core';
import type { DeploymentRow, DeploymentStore } from '@forge/store';
import type { RollbackOptions } from './deployer.ts';

/** How far back a good one is looked for. */
const mostRows = 500;

export type RollbackChoice =
  | { readonly done: DeploymentRow }
  | { readonly done: undefined; readonly from: DeploymentRow; readonly to: DeploymentRow };

type Asked = Pick<RollbackOptions, 'project' | 'target' | 'from' | 'to'>;

/**
 * What a rollback is from and to, by the history alone. `done` if that very rollback was made
 * before. Where nothing is live, one was cut off in the middle: it is taken up again.
 */
export async function chooseEarlier(
  deployments: DeploymentStore,
  asked: Asked,
): Promise<RollbackChoice> {
  const { project, target, from: fromId, to: toId } = asked;
  const live = await deployments.live(project, target);
  if (fromId === undefined && toId === undefined && live !== undefined) {
    const interrupted = await newestOf(deployments, asked, 'starting');
    // It may have the traffic: the one before gets it for sure, and none is passed over.
    if (interrupted !== undefined && isOlder(live, interrupted)) {
      return { done: undefined, from: interrupted, to: live };
    }
  }
  const from =
    fromId === undefined
      ? (live ?? (await newestOf(deployments, asked, 'rolled_back')))
      : await named(deployments, asked, fromId);
  if (from === undefined) throw nothing(`Nothing of ${project} is deployed to ${target}.`);
  if (live !== undefined && live.id !== from.id) {
    if (from.state === 'rolled_back') return { done: live };
    throw new ForgeError(
      'invalid_options',
      `The deployment ${from.id} is ${from.state}, not live: ${live.id} is.`,
    );
  }
  const to =
    toId === undefined ? await lastGood(deployments, from) : await named(deployments, asked, toId);
  if (to === undefined) {
    throw nothing(`There is no earlier good deployment of ${project} on ${target} to go back to.`);
  }
  if (to.id === live?.id) return { done: to };
  if (to.digest === undefined || (to.state !== 'replaced' && to.state !== 'rolled_back')) {
    throw new ForgeError(
      'invalid_options',
      `The deployment ${to.id} is ${to.state}: it never had the traffic, so there is nothing to go back to.`,
    );
  }
  return { done: undefined, from, to };
}

/**
 * The one that had the traffic before it, or before that one, and was not found wanting: what was
 * deployed in between and passed over stays so. Else the newest of those that are older.
 */
async function lastGood(
  deployments: DeploymentStore,
  from: DeploymentRow,
): Promise<DeploymentRow | undefined> {
  let { replaces } = from;
  for (let steps = 0; replaces !== undefined && steps < mostRows; steps += 1) {
    const before = await deployments.get(replaces);
    if (before !== undefined && isGood(before)) return before;
    replaces = before?.replaces;
  }
  const { project, target } = from;
  const filter = { project, target, state: 'replaced' } as const;
  const { items } = await deployments.list(filter, { limit: mostRows });
  return items.find((row) => isGood(row) && isOlder(row, from));
}

function isGood({ state, verified }: DeploymentRow): boolean {
  return state === 'replaced' && verified !== false;
}

function isOlder(one: DeploymentRow, other: DeploymentRow): boolean {
  return one.startedAt === other.startedAt ? one.id < other.id : one.startedAt < other.startedAt;
}

/** Of those in one state. */
export async function newestOf(
  deployments: DeploymentStore,
  { project, target }: Pick<Asked, 'project' | 'target'>,
  state: DeploymentRow['state'],
): Promise<DeploymentRow | undefined> {
  return (await deployments.list({ project, target, state }, { limit: 1 })).items[0];
}

async function named(
  deployments: DeploymentStore,
  { project, target }: Asked,
  id: string,
): Promise<DeploymentRow> {
  const row = await deployments.get(id);
  if (row?.project === project && row.target === target) return row;
  throw new ForgeError('not_found', `There is no deployment ${id} of ${project} on ${target}.`);
}

function nothing(why: string): ForgeError {
  return new ForgeError('nothing_to_roll_back', `${why} Nothing was changed.`);
}
