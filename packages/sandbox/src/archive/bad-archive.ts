import { ForgeError } from '@forge/core';

/** An archive that cannot be read. */
export function badArchive(problem: string): ForgeError {
  return new ForgeError('invalid_options', `This tar archive cannot be used: ${problem}`);
}

/** An archive with an entry that may not be unpacked. */
export function refusedEntry(name: string, problem: string): ForgeError {
  const shown = JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
  return new ForgeError(
    'not_allowed',
    `The tar entry ${shown} ${problem}. Nothing of this archive after it was unpacked.`,
  );
}
