import { dirname } from 'node:path';
import { loadPlugins, type Plugins } from '@forge/tools/plugins';
import { findProjectFile } from './find-project-file.ts';
import { readProjectFile } from './read-project-file.ts';

/** The plugins of the project the working directory is in. */
export function projectPlugins(cwd: string): Promise<Plugins> {
  const file = findProjectFile(cwd);
  if (file === undefined) return loadPlugins({ root: cwd });
  return loadPlugins({ root: dirname(file), also: readProjectFile(file).config.plugins });
}
