import { relative } from 'node:path';
import { ForgeError } from '@forge/core';
import type { ChosenProfile } from './choose-profile.ts';

/**
 * Refuses to send a key of this user to an address that only a project's file names. Such a file
 * comes with a repository somebody cloned; naming the address on the command line, or in the
 * user's own file, says that it is meant. Servers on this machine are no danger.
 */
export function checkKeyIsMeant({
  url,
  key,
  profile,
  configFolder,
}: {
  /** As the profile says it. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly profile: ChosenProfile | undefined;
  /** Where the user's own file is. */
  readonly configFolder: string;
}): void {
  if (url === undefined || key === undefined || profile === undefined) return;
  if (!relative(configFolder, profile.file).startsWith('..')) return;
  const host = URL.parse(url)?.hostname ?? '';
  if (host === 'localhost' || host === '[::1]' || /^127\./.test(host)) return;
  throw new ForgeError(
    'invalid_options',
    `The profile "${profile.name}" in ${profile.file} would send your key to ${host}. If that is meant, say so: --backend-url ${url}`,
  );
}
