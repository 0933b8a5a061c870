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

/** True if a link at `path` leads to a place inside the tree. */
export function staysInside(path: string, link: string): boolean {
  if (link.startsWith('/')) return false;
  const depth: string[] = path.split('/').slice(0, -1);
  for (const part of link.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') depth.push(part);
    else if (depth.pop() === undefined) return false;
  }
  return true;
}
