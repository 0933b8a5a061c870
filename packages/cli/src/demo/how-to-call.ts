import { basename, dirname } from 'node:path';

/**
 * What to type before `forge` is known to a shell, for commands that are printed; undefined where it
 * was called by that name. `script` is what node was given to run.
 */
export function howToCall(script: string): string | undefined {
  const isInstalled = basename(script) === 'forge' && basename(dirname(script)) !== '.bin';
  return isInstalled ? undefined : `alias forge='node ${script.replaceAll("'", `'\\''`)}'`;
}
