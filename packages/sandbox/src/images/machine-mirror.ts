import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Where this machine gets Debian's packages from, by its own settings: what works for it will work
 * for its images. Undefined where it is no Debian.
 */
export async function machineMirror(folder = '/etc/apt'): Promise<string | undefined> {
  const more = join(folder, 'sources.list.d');
  const names = (await readdir(more).catch(() => [])).toSorted();
  const files = [join(folder, 'sources.list'), ...names.map((name) => join(more, name))];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = /^(?:deb|URIs:)\s+(?:\[[^\]\n]*\]\s+)?(https?:\/\/\S+?\/debian)\/?(?:\s|$)/m.exec(
      text,
    );
    if (found?.[1] !== undefined) return found[1];
  }
  return undefined;
}
