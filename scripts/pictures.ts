import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectPictures } from './picture/project-pictures.ts';
import { terminalPicture } from './terminal-picture.ts';

/** The pictures of the documentation, each from a real run. `npm run pictures` makes them again. */
const root = fileURLToPath(new URL('..', import.meta.url));

function save(name: string, svg: string): void {
  const file = `docs/images/${name}.svg`;
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), svg);
  console.log(file);
}

for await (const { name, svg } of projectPictures(join(root, 'packages/cli/bin/forge.js'))) {
  save(name, svg);
}
save(
  'proxy',
  terminalPicture({
    command: process.execPath,
    args: ['scripts/clients/proxy-scene.ts'],
    title: 'forge proxy --verbose',
    columns: 100,
    cwd: root,
  }),
);
