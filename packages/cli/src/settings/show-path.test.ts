import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showPath } from './show-path.ts';

const places = { cwd: '/home/me/work/app', home: '/home/me' };
for (const [file, shown] of [
  ['/home/me/work/app/forge.yaml', 'forge.yaml'],
  ['/home/me/work/app/sub/x.yaml', 'sub/x.yaml'],
  ['/home/me/work/forge.yaml', '../forge.yaml'],
  ['/home/me/.config/forge/config.yaml', '~/.config/forge/config.yaml'],
  ['/etc/forge/x.yaml', '/etc/forge/x.yaml'],
] as const) {
  test(`${file} is shown as ${shown}`, () => assert.equal(showPath(file, places), shown));
}
