import { join } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import type { DeploymentRow } from '@forge/store';
import { deployFailed } from '../deploy-failed.ts';
import { safeName } from '../files/safe-name.ts';
import type { Live, Source, Target, TargetContext } from '../target.ts';
import { chooseEarlier, newestOf } from './choose-earlier.ts';
import { withDeployLock } from './deploy-lock.ts';
import type { Deployer, DeployerOptions, DeployOptions, DeploySource, Place } from './deployer.ts';
import { failLeftOver, goOn, stopRecorder } from './interrupted.ts';
import { parseConfig, requireConfig } from './parse-config.ts';

const reasonChars = 4_000;

/** Deploys through targets and keeps the history. See `Deployer`. */
export function createDeployer(options: DeployerOptions): Deployer {
  const { deployments, targets, now = Date.now } = options;

  const folderOf = ({ project, target }: Place) =>
    join(options.folder, safeName(project), safeName(target));

  const contextOf = (
    place: Place,
    config: unknown,
    { signal, tell = () => {} }: Pick<DeployOptions, 'signal' | 'tell'>,
  ): TargetContext<unknown> => ({
    ...{ project: place.project, config, folder: folderOf(place), signal, tell },
  });

  const withSource = async <Result>(
    source: DeploySource,
    signal: AbortSignal,
    work: (source: Source) => Promise<Result>,
  ): Promise<Result> => {
    if ('path' in source) return await work(source);
    if (options.checkout === undefined) {
      throw new ForgeError('invalid_options', 'A commit alone can be deployed only with checkout.');
    }
    const tree = await options.checkout(source.commit, signal);
    try {
      return await work({ path: tree.path, commit: source.commit });
    } finally {
      await tree.remove();
    }
  };

  const problemsOf = async (
    target: Target<unknown>,
    place: Place & Pick<DeployOptions, 'signal' | 'tell'>,
    source: Source,
  ) => {
    const read = parseConfig(target, place.config);
    if ('problems' in read) return read.problems;
    return await target.validate(contextOf(place, read.config, place), source);
  };

  /** The steps up to the traffic. Each may be done again after a crash anywhere. */
  const carryOut = async (order: DeployOptions, row: DeploymentRow, source: Source) => {
    const target = targets.get(order.target);
    const { id, signal, tell = () => {} } = order;
    const problems = await problemsOf(target, order, source);
    if (problems.length > 0) {
      const lines = problems.map(({ problem, fix }) => `- ${problem} ${fix}`);
      throw deployFailed(
        `Nothing was built: ${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} missing or wrong.\n${lines.join('\n')}`,
      );
    }
    signal.throwIfAborted();
    const context = contextOf(order, requireConfig(target, order.config), order);
    tell(`Building ${source.commit.slice(0, 12)} for ${target.name}`);
    const built = await target.build(context, source, { id });
    signal.throwIfAborted();
    await deployments.change(row.id, ['building', 'starting'], {
      ...{ state: 'starting', digest: built.digest, detail: built.detail },
    });
    tell(`Starting ${built.digest.slice(0, 19)}`);
    return await target.deploy(context, built, { id });
  };

  /** Killed before this: it has the traffic, and the same id again comes here once more. */
  const becomesLive = async (order: DeployOptions, id: string, live: Live) => {
    const { project, target, tell = () => {} } = order;
    const before = await deployments.live(project, target);
    const done = await deployments.change(
      id,
      ['starting'],
      {
        ...{ state: 'live', digest: live.digest, detail: live.detail, endedAt: now() },
        ...(live.url !== undefined && { url: live.url }),
        ...(before !== undefined && before.id !== id && { replaces: before.id }),
      },
      { alsoReplaces: true },
    );
    // Until now one of them might have had the traffic.
    await failLeftOver(deployments, order, { state: 'starting', by: id, now: now() });
    tell(`Live${live.url === undefined ? '' : ` at ${live.url}`}`);
    return done;
  };

  const locked = <Result>(place: Place, what: string, work: () => Promise<Result>) =>
    withDeployLock({ folder: folderOf(place), what, now }, work);

  const requireRow = async (id: string): Promise<DeploymentRow> => {
    const row = await deployments.get(id);
    if (row !== undefined) return row;
    throw new ForgeError('not_found', `There is no deployment ${id}.`);
  };

  const takeBack = async (row: DeploymentRow, reason: string) =>
    await deployments.change(row.id, ['starting', 'live', 'replaced', 'rolled_back'], {
      ...{ state: 'rolled_back', reason: reason.slice(0, reasonChars) },
    });

  return {
    async check(place) {
      const target = targets.get(place.target);
      return await withSource(place.source, place.signal, (source) =>
        problemsOf(target, place, source),
      );
    },

    async deploy(order) {
      const { id, project, target, source, runId, tenant, signal } = order;
      targets.get(target); // A wrong name is no deployment.
      return await locked(order, `deploying ${id}`, async () => {
        const begun = await deployments.begin({
          ...{ id, project, target, commit: source.commit, startedAt: now() },
          ...(runId !== undefined && { runId }),
          ...(tenant !== undefined && { tenant }),
        });
        const row = await goOn(deployments, begun);
        if (row.state === 'failed' || row.state === 'rolled_back') {
          throw new ForgeError('deploy_failed', row.reason ?? `The deployment ${id} failed.`);
        }
        if (row.state === 'live' || row.state === 'replaced') return row;
        await failLeftOver(deployments, order, { state: 'building', by: id, now: now() });
        const stop = stopRecorder(deployments, id, now);
        signal.addEventListener('abort', stop.onAbort, { once: true });
        let live: Live;
        try {
          live = await withSource(source, signal, (tree) => carryOut(order, row, tree));
        } catch (error) {
          if (signal.aborted || ForgeError.is(error, 'cancelled')) {
            await stop.settled();
            throw new ForgeError('cancelled', `The deployment ${id} was cancelled.`);
          }
          await deployments.change(id, ['building', 'starting'], {
            ...{ state: 'failed', reason: messageOf(error).slice(0, reasonChars), endedAt: now() },
          });
          throw ForgeError.is(error, 'deploy_failed')
            ? error
            : deployFailed(messageOf(error), { cause: error });
        } finally {
          signal.removeEventListener('abort', stop.onAbort);
        }
        return await becomesLive(order, id, live);
      });
    },

    async verify(id, passed, reason) {
      return await deployments.change(id, ['live', 'replaced', 'rolled_back'], {
        verified: passed,
        ...(reason !== undefined && { reason: reason.slice(0, reasonChars) }),
      });
    },

    async rollback(order) {
      const { project, target: name, reason } = order;
      const target = targets.get(name);
      return await locked(order, 'rolling back', async () => {
        const context = contextOf(order, requireConfig(target, order.config), order);
        const choice = await chooseEarlier(deployments, order);
        if (choice.done !== undefined) return choice.done;
        const { from, to } = choice;
        const built = { digest: to.digest ?? '', detail: to.detail };
        context.tell(`Going back from ${from.id} to ${to.id}`);
        const live = await target.rollback(context, { id: to.id, built });
        // Killed between these: nothing is live here, and the same rollback again comes here once more.
        await takeBack(from, reason);
        const url = live.url === undefined ? {} : { url: live.url };
        context.tell(`${to.id} of ${project} is live again`);
        return await deployments.change(
          to.id,
          ['replaced', 'rolled_back', 'live'],
          { state: 'live', digest: live.digest, ...url },
          { alsoReplaces: true },
        );
      });
    },

    async withdraw(order) {
      const target = targets.get(order.target);
      return await locked(order, 'withdrawing', async () => {
        const live = await deployments.live(order.project, order.target);
        const row =
          order.from === undefined
            ? (live ?? (await newestOf(deployments, order, 'starting')))
            : await requireRow(order.from);
        if (row === undefined || (live !== undefined && live.id !== row.id)) return undefined;
        const context = contextOf(order, requireConfig(target, order.config), order);
        await target.stop(context);
        return await takeBack(row, order.reason);
      });
    },

    async history(project, page) {
      return await deployments.list({ project }, page);
    },

    async health(place) {
      const target = targets.get(place.target);
      return await target.healthCheck(contextOf(place, requireConfig(target, place.config), place));
    },
  };
}
