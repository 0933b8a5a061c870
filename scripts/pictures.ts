import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { terminalPicture } from './terminal-picture.ts';

/** The pictures of the documentation, each from a real run. */
const pictures = [
  {
    file: 'docs/images/demo.svg',
    title: 'npm start',
    args: ['packages/cli/bin/forge.js', 'demo', '--delay', '0'],
  },
  {
    file: 'docs/images/proxy.svg',
    title: 'forge proxy --verbose',
    args: ['scripts/clients/proxy-scene.ts'],
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
for (const { file, title, args } of pictures) {
  const picture = terminalPicture({
    command: process.execPath,
    args,
    title,
    columns: 100,
    cwd: root,
  });
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), picture);
  console.log(file);
}
