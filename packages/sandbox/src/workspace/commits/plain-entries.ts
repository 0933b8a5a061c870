import { Readable } from 'node:stream';
import { type WriteEntry, writeTar } from '../../archive/write-tar.ts';

/** Files with these texts, as entries of an archive, each after the folders above it. */
export function* plainEntries(
  files: Readonly<Record<string, string>>,
  folders: readonly string[] = [],
): Generator<WriteEntry, void, void> {
  const common = { link: '', mtime: 0 };
  for (const name of foldersOf([...folders, ...Object.keys(files).map(above)])) {
    yield { ...common, name, type: 'folder', mode: 0o755, size: 0 };
  }
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    yield { ...common, name, type: 'file', mode: 0o644, size: bytes.length, body: [bytes] };
  }
}

function foldersOf(names: readonly string[]): string[] {
  const all = new Set<string>();
  for (let name of names) for (; name !== ''; name = above(name)) all.add(name);
  return [...all].sort();
}

function above(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/** One archive of several lists of entries. */
export function tarOf(...lists: readonly (AsyncIterable<WriteEntry> | Iterable<WriteEntry>)[]) {
  const all = (async function* () {
    for (const list of lists) yield* list;
  })();
  return Readable.from(writeTar(all), { objectMode: false });
}
