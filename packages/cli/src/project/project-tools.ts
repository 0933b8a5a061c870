import { ForgeError, type Tool } from '@forge/core';
import { applyPolicy, callViews, createTools, toolAliases } from '@forge/tools';
import { projectPlugins } from './project-plugins.ts';
import { readProject } from './read-project.ts';

/**
 * The tools agents of this project have, with what `forge.yaml` says of them: the built-in ones and
 * those of plugins. They are to be looked at: there is no sandbox behind them.
 */
export async function projectTools({
  cwd,
  configFolder,
}: {
  readonly cwd: string;
  readonly configFolder: string;
}): Promise<readonly Tool[]> {
  const [nearest] = readProject({ cwd, configFolder });
  const sandbox = async () => {
    throw new ForgeError('not_running', 'These tools are only looked at.');
  };
  const builtin = createTools({ sandbox, fetch: {}, aliases: true });
  const { loaded } = await projectPlugins(cwd);
  const tools = [...builtin, ...loaded.flatMap((plugin) => plugin.tools)];
  return applyPolicy(tools, nearest?.config.tools ?? {}, {
    aliases: toolAliases,
    viewsOf: callViews,
  });
}
