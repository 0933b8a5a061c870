import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';

export type FoundProgram =
  | { readonly type: 'found'; readonly path: string }
  | { readonly type: 'missing' | 'denied'; readonly problem: string };

/** Looks for a program as a shell does: a name in PATH, a path from the folder it starts in. */
export async function findProgram(options: {
  readonly program: string;
  readonly cwd: string;
  readonly path: string;
}): Promise<FoundProgram> {
  const { program, cwd, path } = options;
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : path
        .split(':')
        .map((folder) => join(isAbsolute(folder) ? folder : resolve(cwd, folder), program));
  let denied = false;
  for (const place of places) {
    const about = await stat(place).catch(() => undefined);
    if (about === undefined) continue;
    const runs =
      about.isFile() &&
      (await access(place, constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (runs) return { type: 'found', path: place };
    denied = true;
  }
  if (denied)
    return { type: 'denied', problem: `${program} is there, but is no program that may be run.` };
  const where = program.includes('/') ? `in ${cwd}` : `in PATH (${path})`;
  return { type: 'missing', problem: `There is no program ${program} ${where}.` };
}
