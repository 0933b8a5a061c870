const gitNames = /^\.git[ .]*$|^git~\d+$|^\.git:/i;

/** Why nothing under this name goes from a sandbox to the user's tree; undefined if it may. */
export function refusalOf(path: string): string | undefined {
  const parts = path.split('/');
  if (parts.some((part) => part === '..' || part === '.' || part === '')) return 'it leads out';
  // Git's own files say what git runs. Names that some file systems take for the same count too.
  if (parts.some((part) => gitNames.test(part.replaceAll(/\p{Cf}/gu, '')))) {
    return 'it belongs to git itself';
  }
  if (parts[0]?.startsWith(applyPrefix)) return 'it belongs to Forge itself';
  return undefined;
}

/** Folders in the user's tree that exist while changes are applied. */
export const applyPrefix = '.forge-apply';

/**
 * True if a link at `path` leads to a place inside the tree, as far as it can say by itself. Up it may
 * only go at its beginning: behind a name that is a link again, `..` is not where it seems to be.
 */
export function staysInside(path: string, link: string): boolean {
  const [, up = '', rest = ''] = /^((?:\.{1,2}\/+)*)(.*)$/s.exec(`${link}/`) ?? [];
  const above = up.split('/').filter((part) => part === '..').length;
  return !link.startsWith('/') && above < path.split('/').length && !rest.split('/').includes('..');
}
