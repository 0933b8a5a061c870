import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from '../../context.ts';
import { readProject } from '../../project/read-project.ts';
import { UsageError } from '../../usage-error.ts';
import { chooseProfile } from './choose-profile.ts';
import type { ProxyFlags } from './flags.ts';
import { resolveSettings } from './resolve-settings.ts';
import type { ProxySettings } from './settings.ts';

/** The settings of this start: the flags, and the profile they or `forge.yaml` name. */
export function loadSettings(
  flags: ProxyFlags,
  { config, cwd }: Pick<CommandContext, 'config' | 'cwd'>,
  serverFlags: readonly string[] = [],
): ProxySettings {
  const file = configFile(flags, cwd);
  const files = readProject({ file, cwd, configFolder: config.configFolder });
  const profile = chooseProfile(files, flags.profile);
  return resolveSettings({ flags, serverFlags, profile, config, cwd });
}

function configFile({ config }: ProxyFlags, cwd: string): string | undefined {
  if (config === undefined) return undefined;
  const file = resolve(cwd, config);
  if (!existsSync(file)) throw new UsageError(`There is no file ${file} (--config).`);
  return file;
}
