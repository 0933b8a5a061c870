import { existsSync } from 'node:fs';
import { messageOf } from '@forge/core';
import { inheritedEnvironment } from '../config.ts';
import { deployFailed, explainDisk } from '../deploy-failed.ts';
import { safeName } from '../files/safe-name.ts';
import { askKeeper } from '../keeper/ask-keeper.ts';
import { checkKept } from '../keeper/check-kept.ts';
import { activatedSchema } from '../keeper/control-messages.ts';
import { keptReleases } from '../keeper/keeper-state.ts';
import { publicPortProblems } from '../keeper/public-port-problems.ts';
import { stopKeeper } from '../keeper/stop-keeper.ts';
import { switchOrNot } from '../keeper/switch-or-not.ts';
import type { Built, Live, Target, TargetContext, TargetProblem } from '../target.ts';
import { copyTree } from './copy-tree.ts';
import { canRun, programOf } from './find-program.ts';
import { type ProcessConfig, processConfigSchema, toArgv } from './process-config.ts';
import { ReleaseFiles } from './release-files.ts';

type Context = TargetContext<ProcessConfig>;

/**
 * Runs any start command on this machine. Releases lie side by side, each starts on a port of its
 * own, and a keeper, a process that outlives this one, gives the healthy one the traffic.
 */
export const processTarget: Target<ProcessConfig> = {
  name: 'process',
  config: processConfigSchema,

  async validate(context, source) {
    const { config } = context;
    const problems: TargetProblem[] = [];
    if (!existsSync(source.path)) {
      problems.push({ problem: `There is no folder ${source.path}.`, fix: 'Check it out again.' });
    }
    const path = config.env.PATH ?? inheritedEnvironment().PATH ?? '';
    for (const key of ['build', 'start'] as const) {
      const program = config[key] === undefined ? undefined : programOf(config[key]);
      if (program === undefined || canRun(program, { cwd: source.path, path })) continue;
      // A build may still make what is started.
      if (key === 'start' && config.build !== undefined && program.includes('/')) continue;
      problems.push({
        problem: `deploy.config.${key} begins with "${program}", which is not found here.`,
        fix: `Install ${program}, or correct deploy.config.${key}.`,
      });
    }
    return [...problems, ...(await publicPortProblems(context))];
  },

  async build(context, source, { id }) {
    const { folder, config, signal, tell } = context;
    const files = new ReleaseFiles(folder);
    const release = safeName(id);
    const there = files.read(release);
    if (there !== undefined) return { digest: there.digest, detail: { release } };
    const env = { ...inheritedEnvironment(), ...config.env };
    const tree = files.tree(release);
    try {
      files.remove(release); // What a process that died has left.
      const digest = await copyTree({ from: source.path, to: tree, signal });
      if (config.build !== undefined) {
        tell(
          `Building: ${typeof config.build === 'string' ? config.build : config.build.join(' ')}`,
        );
        const timeoutMs = config.build_timeout_s * 1000;
        const command = toArgv(config.build);
        const order = { op: 'build', release, command, cwd: tree, env, timeoutMs } as const;
        await askKeeper(folder, order, { signal, tell });
      }
      const spec = {
        id: release,
        runner: { type: 'process', command: toArgv(config.start), cwd: tree, env },
        health: config.health,
        stopGraceMs: config.stop_grace_s * 1000,
        restarts: { attempts: config.restarts, firstDelayMs: config.restart_delay_ms },
      } as const;
      // Killed before this line: the next build of the same release begins anew.
      files.write(release, { v: 1, digest, builtAt: Date.now(), spec });
      return { digest, detail: { release } };
    } catch (error) {
      files.remove(release);
      throw explainDisk(error, folder);
    }
  },

  async deploy(context, built, { id }) {
    const release = safeName(id);
    try {
      return await switchOrNot(context, release, (asking) =>
        activate(asking, release, built, { keepPrevious: true }),
      );
    } catch (error) {
      // One that failed is not kept; one that was given up by its caller may go on.
      if (!context.signal.aborted) removeUnlessKept(context.folder, release);
      throw error;
    }
  },

  async rollback(context, { id, built }) {
    return await activate(context, safeName(id), built, { keepPrevious: false });
  },

  async healthCheck(context) {
    return await checkKept(context, context.config.health);
  },

  async stop(context) {
    await stopKeeper(context);
  },
};

async function activate(
  { folder, config, signal, tell }: Context,
  release: string,
  built: Built,
  { keepPrevious }: { readonly keepPrevious: boolean },
): Promise<Live> {
  const files = new ReleaseFiles(folder);
  const { spec, digest } = files.read(release) ?? {};
  if (spec === undefined || digest !== built.digest) {
    throw deployFailed(
      digest === undefined
        ? `The release ${release} is not kept here any more (deploy.config.keep is ${config.keep}). Deploy its commit again.`
        : `The release ${release} here is ${digest}, not ${built.digest}. Deploy its commit again.`,
    );
  }
  const { host, port } = config;
  const order = { op: 'activate', spec, host, port, keepPrevious } as const;
  const done = activatedSchema.parse(await askKeeper(folder, order, { signal, tell }));
  try {
    files.prune({ keep: config.keep, needed: keptReleases(folder) });
  } catch (error) {
    // It has the traffic: that is no failure of the deployment.
    tell(`It is live, but old releases could not be removed: ${messageOf(error)}`);
  }
  return { digest, url: done.url, detail: { release } };
}

function removeUnlessKept(folder: string, release: string): void {
  if (!keptReleases(folder).includes(release)) new ReleaseFiles(folder).remove(release);
}
