import { pathToFileURL } from 'node:url';
import { messageOf } from '@forge/core';
import { type FoundPlugin, findPlugins } from './find-plugins.ts';
import type { LoadedPlugin, PluginProblem, Plugins } from './plugin.ts';
import { readPlugin } from './read-plugin.ts';

/**
 * Loads the plugins of a project. Their code runs in this process, with all it may do: a plugin is
 * trusted like any package the project installs. One that cannot be loaded, takes too long or brings
 * a name that is taken is named in `problems`, and the others are there all the same.
 */
export async function loadPlugins({
  root,
  also,
  timeoutMs = 10_000,
  load = (file) => import(pathToFileURL(file).href),
}: {
  readonly root: string;
  readonly also?: readonly string[];
  /** For one module to load. */
  readonly timeoutMs?: number;
  readonly load?: (file: string) => Promise<unknown>;
}): Promise<Plugins> {
  const { found, problems } = await findPlugins({ root, also });
  const tried = await Promise.all(found.map((plugin) => tryOne(plugin, { load, timeoutMs })));
  const loaded: LoadedPlugin[] = [];
  const failed: PluginProblem[] = [];
  for (const result of tried) {
    if ('problem' in result) failed.push(result);
    else {
      const { plugin, clashes } = withoutTaken(result, loaded);
      loaded.push(plugin);
      failed.push(...clashes);
    }
  }
  return { loaded, problems: [...problems, ...failed] };
}

async function tryOne(
  { name, version, folder, file }: FoundPlugin,
  { load, timeoutMs }: { load: (file: string) => Promise<unknown>; timeoutMs: number },
): Promise<LoadedPlugin | PluginProblem> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`Its module did not load within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    const plugin = readPlugin(await Promise.race([load(file), late.promise]));
    return { ...plugin, name, version, folder };
  } catch (error) {
    return { name, folder, problem: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Names are given to the first; the order is that of the project's package.json. */
function withoutTaken(
  plugin: LoadedPlugin,
  others: readonly LoadedPlugin[],
): { readonly plugin: LoadedPlugin; readonly clashes: readonly PluginProblem[] } {
  const clashes: PluginProblem[] = [];
  const isFree = (
    kind: string,
    name: string,
    namesOf: (other: LoadedPlugin) => readonly string[],
  ) => {
    const owner = others.find((other) => namesOf(other).includes(name));
    if (owner === undefined) return true;
    const problem = `Its ${kind} "${name}" is left out: ${owner.name} brings one of that name.`;
    clashes.push({ name: plugin.name, folder: plugin.folder, problem });
    return false;
  };
  const free = <T>(kind: string, named: Readonly<Record<string, T>>, key: 'prompts' | 'targets') =>
    Object.fromEntries(
      Object.entries(named).filter(([name]) =>
        isFree(kind, name, (other) => Object.keys(other[key])),
      ),
    );
  return {
    plugin: {
      ...plugin,
      tools: plugin.tools.filter(({ spec }) =>
        isFree('tool', spec.name, ({ tools }) => tools.map((tool) => tool.spec.name)),
      ),
      agents: plugin.agents.filter(({ name }) =>
        isFree('agent', name, ({ agents }) => agents.map((agent) => agent.name)),
      ),
      prompts: free('prompt', plugin.prompts, 'prompts'),
      targets: free('target', plugin.targets, 'targets'),
    },
    clashes,
  };
}
