import { dirname } from 'node:path';
import { nearestNames } from '@forge/core';
import type { ProxyProfile } from '../../project/proxy-section.ts';
import type { ProjectFile } from '../../project/read-project-file.ts';
import { UsageError } from '../../usage-error.ts';

export interface ChosenProfile {
  readonly name: string;
  readonly file: string;
  /** Paths in the profile begin here. */
  readonly folder: string;
  readonly values: ProxyProfile;
}

/**
 * The profile asked for, or else the default one of the nearest file that names one. Undefined
 * where there is none. A name in several files means the nearest.
 */
export function chooseProfile(
  files: readonly ProjectFile[],
  asked: string | undefined,
): ChosenProfile | undefined {
  const name = asked ?? files.find(({ config }) => config.proxy?.default)?.config.proxy?.default;
  if (name === undefined) return undefined;
  for (const { file, config } of files) {
    const values = config.proxy?.profiles?.[name];
    if (values !== undefined) return { name, file, folder: dirname(file), values };
  }
  throw new UsageError(noProfile(name, files));
}

function noProfile(name: string, files: readonly ProjectFile[]): string {
  const known = [...new Set(files.flatMap((one) => Object.keys(one.config.proxy?.profiles ?? {})))];
  const [nearest] = nearestNames(name, known, 1);
  const where = files.map(({ file }) => file).join(' or ') || 'any forge.yaml';
  const hint =
    known.length === 0
      ? `Write one: forge proxy init --profile ${name}`
      : `${nearest === undefined ? '' : `Did you mean ${nearest}? `}There are: ${known.join(', ')}.`;
  return `There is no proxy profile "${name}" in ${where}. ${hint}`;
}
