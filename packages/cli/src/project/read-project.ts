import { findProjectFile, findUserFile } from './find-project-file.ts';
import { type ProjectFile, readProjectFile } from './read-project-file.ts';

/**
 * What is configured here, nearest first: the project's `forge.yaml`, then the user's own
 * `config.yaml`. With `file`, that one alone.
 */
export function readProject({
  file,
  cwd,
  configFolder,
}: {
  readonly file?: string;
  readonly cwd: string;
  readonly configFolder: string;
}): readonly ProjectFile[] {
  if (file !== undefined) return [readProjectFile(file)];
  return [findProjectFile(cwd), findUserFile(configFolder)].flatMap((found) =>
    found === undefined ? [] : [readProjectFile(found)],
  );
}
