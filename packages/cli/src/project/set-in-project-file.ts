import { existsSync, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseProjectFile, readProjectFile } from './read-project-file.ts';

/**
 * Sets values in a `forge.yaml`, which is made if it is not there. Comments and everything else
 * in it stay. The result is checked before it is written, and written at once: a reader sees the
 * old file or the new one.
 */
export function setInProjectFile(
  file: string,
  changes: readonly { readonly path: readonly string[]; readonly value: unknown }[],
): void {
  const { document } = existsSync(file) ? readProjectFile(file) : parseProjectFile(file, '');
  for (const { path, value } of changes) {
    if (document.contents === null) document.contents = document.createNode({});
    document.setIn(path, document.createNode(value));
  }
  const text = document.toString({ lineWidth: 0 });
  parseProjectFile(file, text);
  mkdirSync(dirname(file), { recursive: true });
  const target = existsSync(file) ? realpathSync(file) : file;
  const draft = `${target}.new`;
  writeFileSync(draft, text);
  renameSync(draft, target);
}
