import { createHash } from 'node:crypto';

/**
 * A name for a file or a container: as it is where that is possible, else its like with a hash. One
 * that looks like the latter gets a hash too, so that nobody can have the name of another.
 */
export function safeName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,49}$/.test(name) && !/(?:^|-)[0-9a-f]{12}$/.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  const like = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .slice(0, 36);
  return like === '' ? hash : `${like}-${hash}`;
}
