import { constants } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import type { BackendKind } from './backend-options.ts';
import { kinds } from './kinds.ts';

/**
 * The program of a backend: the one that is named, a llamafile beside the model (the newest by
 * its number), or the usual name on the search path.
 */
export async function findBinary({
  kind,
  binary,
  model,
  searchPath = '',
}: {
  readonly kind: BackendKind;
  readonly binary?: string;
  readonly model?: string;
  /** As PATH has it. */
  readonly searchPath?: string;
}): Promise<string> {
  const { binaries, install } = kinds[kind];
  const names = binary === undefined ? binaries : [binary];
  const candidates = [
    ...(binary?.includes('/') ? [resolve(binary)] : []),
    ...(binary === undefined && kind === 'llamafile' ? await llamafilesBeside(model) : []),
    ...searchPath
      .split(delimiter)
      .filter((folder) => folder !== '')
      .flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  for (const candidate of candidates) if (await isProgram(candidate)) return realpath(candidate);
  if (binary !== undefined) {
    throw new ForgeError('invalid_options', `There is no program ${binary} that can be run.`);
  }
  throw new ForgeError(
    'invalid_options',
    `${names.join(' or ')} was not found on PATH. ${install}, or give its path as "binary".`,
  );
}

async function llamafilesBeside(model: string | undefined): Promise<string[]> {
  if (model === undefined) return [];
  const folder = dirname(resolve(model));
  const names = await readdir(folder).catch((): string[] => []);
  const byNumber = new Intl.Collator('en', { numeric: true });
  return names
    .filter((name) => name.startsWith('llamafile-'))
    .sort((a, b) => byNumber.compare(b, a))
    .map((name) => join(folder, name));
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
