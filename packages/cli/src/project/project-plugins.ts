import { loadPlugins, type Plugins } from '@forge/tools/plugins';
import type { Config } from '../config.ts';
import { readSettings } from '../settings/read-settings.ts';

/** The plugins of the project the working directory is in. */
export function projectPlugins(place: {
  readonly cwd: string;
  readonly config: Config;
}): Promise<Plugins> {
  const { root, settings } = readSettings(place);
  return loadPlugins({ root, ...(settings.plugins && { also: settings.plugins }) });
}
