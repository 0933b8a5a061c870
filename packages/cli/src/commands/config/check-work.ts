import { ForgeError } from '@forge/core';
import { createTargets } from '@forge/targets';
import { loadPlugins, type Plugins } from '@forge/tools/plugins';
import type { CommandContext } from '../../context.ts';
import { withPassingStore } from '../../runs/passing-store.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import type { Origin } from '../../settings/layer.ts';
import type { ReadSettings } from '../../settings/read-settings.ts';
import { projectPipeline } from '../../workshop/project-pipeline.ts';
import { projectProfiles } from '../../workshop/project-profiles.ts';

type Checked = Pick<ReadSettings, 'settings' | 'origins' | 'root'>;

/** What is wrong, and the setting that leads to it, where that is known. */
interface Fault {
  readonly setting?: string | undefined;
  readonly problem: string;
}

/**
 * What stands behind settings that are right in themselves: plugins, profiles, the target, agents and
 * the pipeline. Every fault, with the place of the setting that leads to it. Nothing is kept, and no
 * model or sandbox is asked.
 */
export async function checkWork(
  read: Checked,
  { context, file }: { readonly context: CommandContext; readonly file: string | undefined },
): Promise<readonly string[]> {
  const { settings, origins, root } = read;
  const plugins = await loadPlugins({ root, also: settings.plugins });
  const pluginAgents = plugins.loaded.flatMap((plugin) => plugin.agents.map(({ name }) => name));
  const inProfiles = await checkProfiles(read);
  const faults: readonly Fault[] = [
    ...plugins.problems.map(({ name, problem }) => ({ problem: `${name}: ${problem}` })),
    ...inProfiles,
    ...checkTarget(read, plugins),
    ...(await caught(() => projectPipeline({ settings, root, pluginAgents }))),
    ...(await checkAgents({ context, file, root, hasProfile: inProfiles.length === 0 })),
  ];
  const told = faults.map(({ setting, problem }) => {
    const place = setting === undefined ? undefined : placeOf(origins, setting);
    return place === undefined ? problem : `${place}: ${problem}`;
  });
  // Agents come with the pipeline they work in, so that its faults are met twice.
  return [...new Set(told)];
}

async function caught(check: () => Promise<unknown>): Promise<readonly Fault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!ForgeError.is(error)) throw error;
    return [{ setting: settingOf(error), problem: error.message }];
  }
}

function settingOf({ code, message }: ForgeError): string | undefined {
  if (code === 'invalid_pipeline') return 'pipeline';
  const [, agent] = /\bagent "([^"]+)"/i.exec(message) ?? [];
  return agent === undefined ? undefined : `agents.${agent}`;
}

/** Where it stands, or the first of what is in it, or that it is in. Defaults stand nowhere. */
function placeOf(origins: ReadonlyMap<string, Origin>, setting: string): string | undefined {
  for (const [path, { layer, place }] of origins) {
    const isIn = path === setting || path.startsWith(`${setting}.`);
    if (isIn && layer !== 'default') return place;
  }
  const dot = setting.lastIndexOf('.');
  return dot < 0 ? undefined : placeOf(origins, setting.slice(0, dot));
}

async function checkProfiles(read: Checked): Promise<readonly Fault[]> {
  const { profile } = read.settings;
  return caught(async () => {
    const profiles = await projectProfiles(read);
    if (profile !== undefined) profiles.get(profile);
  }).then((faults) => faults.map(({ problem }) => ({ setting: 'profile', problem })));
}

function checkTarget({ settings: { deploy } }: Checked, plugins: Plugins): readonly Fault[] {
  if (deploy.target === undefined) return [];
  const targets = createTargets(Object.assign({}, ...plugins.loaded.map((one) => one.targets)));
  if (!targets.names().includes(deploy.target)) {
    const known = targets.names().join(', ');
    const problem = `deploy.target: there is no target ${deploy.target}. Targets: ${known}.`;
    return [{ setting: 'deploy.target', problem }];
  }
  const { error } = targets.get(deploy.target).config.safeParse(deploy.config);
  return (error?.issues ?? []).map(({ path, message }) => {
    const setting = ['deploy', 'config', ...path.map(String)].join('.');
    return { setting, problem: `${setting}: ${message}` };
  });
}

function checkAgents({
  context,
  file,
  root,
  hasProfile,
}: {
  readonly context: CommandContext;
  readonly file: string | undefined;
  readonly root: string;
  readonly hasProfile: boolean;
}): Promise<readonly Fault[]> {
  return withPassingStore((store) => {
    // A profile that is not there has been told of, and must not hide what else is wrong.
    const flags = { store, ...(!hasProfile && { profile: 'thorough' }) };
    const place = { flags, repo: root, ...(file !== undefined && { file }) };
    return caught(() => withWorkshop(context, place, (workshop) => workshop.agents()));
  });
}
