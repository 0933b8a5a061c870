import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where downloads that can be had again are kept: FORGE_CACHE, else the user's cache folder. */
export function cacheFolder(environment: Environment = process.env, home = homedir()): string {
  const { FORGE_CACHE, XDG_CACHE_HOME } = environment;
  return FORGE_CACHE || join(XDG_CACHE_HOME || join(home, '.cache'), 'forge');
}
