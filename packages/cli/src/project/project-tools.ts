import { ForgeError, type Tool } from '@forge/core';
import { createTools } from '@forge/tools';
import type { Config } from '../config.ts';
import { readSettings } from '../settings/read-settings.ts';
import { projectPolicy } from '../workshop/project-policy.ts';
import { projectPlugins } from './project-plugins.ts';

/**
 * The tools agents of this project have, with what its settings say of them: the built-in ones and
 * those of plugins. They are to be looked at: there is no sandbox behind them.
 */
export async function projectTools({
  cwd,
  config,
}: {
  readonly cwd: string;
  readonly config: Config;
}): Promise<readonly Tool[]> {
  const { settings } = readSettings({ cwd, config });
  const sandbox = async () => {
    throw new ForgeError('not_running', 'These tools are only looked at.');
  };
  const builtin = createTools({ sandbox, fetch: {}, aliases: true });
  const { loaded } = await projectPlugins({ cwd, config });
  return projectPolicy(settings)([...builtin, ...loaded.flatMap((plugin) => plugin.tools)]);
}
