import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nobody } from './arguments.ts';

const files: Readonly<Record<string, string>> = {
  passwd: `nobody:x:${nobody}:${nobody}:nobody:/tmp:/bin/sh\n`,
  group: `nogroup:x:${nobody}:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Writes the files every /etc has, without anything of this machine's. Gives their folder. */
export async function writeEtc(parent: string): Promise<string> {
  const folder = join(parent, 'etc');
  await mkdir(folder, { mode: 0o755 });
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text, { mode: 0o644 });
  return folder;
}
