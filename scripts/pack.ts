import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPackages } from './checks/source-files.ts';
import { packPackages } from './pack/pack-packages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = listPackages(root).map(({ folder }) => folder);
for (const tarball of packPackages({ root, folders, target: join(root, 'dist') })) {
  const kilobytes = Math.ceil(statSync(tarball).size / 1024);
  console.log(`${relative(root, tarball)}  ${kilobytes} KB`);
}
