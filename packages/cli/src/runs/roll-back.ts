import { ForgeError } from '@forge/core';
import type { DeploymentRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { decider } from './decider.ts';
import { withWorkshop } from './with-workshop.ts';
import { inDate } from './words.ts';
import { workshopPlace } from './workshop-place.ts';

const mostShown = 20;
const mostLooked = 500;

/** `forge rollback`, once its flags are read. */
export async function rollBack(
  from: string | undefined,
  {
    context,
    to,
    target,
    reason = `Asked for by ${decider().by}.`,
    config,
    list = false,
    json = false,
  }: {
    readonly context: CommandContext;
    readonly to?: string;
    readonly target?: string;
    readonly reason?: string;
    readonly config?: string;
    readonly list?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  await withWorkshop(context, workshopPlace(context, { config }), async (workshop) => {
    const terminal = context.terminal();
    const { project, settings } = workshop;
    if (list) return showDeployments(workshop, context, json);
    const taken = from === undefined ? undefined : await findDeployment(workshop, from);
    const given = to === undefined ? undefined : await findDeployment(workshop, to);
    const where = target ?? taken?.target ?? settings.deploy.target;
    if (where === undefined) {
      throw new ForgeError(
        'invalid_options',
        'Which target? Write --target NAME, or deploy.target in forge.yaml.',
      );
    }
    const deployer = await workshop.deployer();
    const now = await deployer.rollback({
      project,
      target: where,
      config: settings.deploy.config,
      signal: context.signal,
      tell: (line) => terminal.err(printable(line, 500)),
      reason,
      ...(taken !== undefined && { from: taken.id }),
      ...(given !== undefined && { to: given.id }),
    });
    if (json) terminal.out(JSON.stringify(now));
    else {
      const url = now.url === undefined ? '' : ` at ${printable(now.url)}`;
      terminal.out(`${now.id} has the traffic again: commit ${now.commit.slice(0, 12)}${url}`);
    }
  });
}

async function findDeployment({ store, project }: Workshop, id: string): Promise<DeploymentRow> {
  const { items } = await store.deployments.list({ project }, { limit: mostLooked });
  const found = items.filter((row) => row.id === id || row.id.startsWith(id));
  const only = found.find((row) => row.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  throw new ForgeError(
    found.length === 0 ? 'not_found' : 'invalid_options',
    found.length === 0
      ? `There is no deployment ${printable(id, 80)} of ${project}. "forge rollback --list" shows them.`
      : `${found.length} deployments begin with ${printable(id, 80)}: ${found.map((row) => row.id).join(', ')}.`,
  );
}

async function showDeployments(
  { store, project }: Workshop,
  context: CommandContext,
  json: boolean,
): Promise<void> {
  const terminal = context.terminal();
  const { items } = await store.deployments.list({ project }, { limit: mostShown });
  if (json) terminal.out(JSON.stringify(items));
  else if (items.length === 0) terminal.out('Nothing was deployed yet.');
  else {
    for (const { id, state, target, commit, startedAt, reason } of items) {
      const look = state === 'live' ? 'green' : 'dim';
      const why = reason === undefined ? '' : `  ${printable(reason, 200)}`;
      terminal.out(
        `${id}  ${terminal.style(look, state.padEnd(11))}  ${printable(target)}  ${commit.slice(0, 12)}  ${inDate(startedAt)}${why}`,
      );
    }
  }
}
