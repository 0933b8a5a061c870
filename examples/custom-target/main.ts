// Publishes two versions of a site with a target of its own, and goes back to the first.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@forge/store';
import { createDeployer, createTargets } from '@forge/targets';
import { folderTarget } from './folder-target.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-custom-target-'));
const store = await openStore(join(root, 'store.db'));
const deployer = createDeployer({
  deployments: store.deployments,
  targets: createTargets({ folder: folderTarget }),
  folder: join(root, 'state'),
});
const place = {
  project: 'site',
  target: 'folder',
  config: { publish_to: join(root, 'public') },
  signal: AbortSignal.timeout(30_000),
};
const shown = () => readFileSync(join(root, 'public', 'index.html'), 'utf8');

for (const version of ['one', 'two']) {
  const path = join(root, version);
  mkdirSync(path);
  writeFileSync(join(path, 'index.html'), `Version ${version}`);
  await deployer.deploy({ ...place, id: version, source: { path, commit: version } });
  console.log(`published: ${shown()}`);
}

await deployer.verify('two', false, 'A link on it leads nowhere.');
await deployer.rollback({ ...place, reason: 'A link on it leads nowhere.' });
console.log(`after the rollback: ${shown()}`);
for (const { id, state, reason } of (await deployer.history('site')).items) {
  console.log([id, state, reason].filter((part) => part !== undefined).join(' - '));
}

await store.close();
rmSync(root, { recursive: true, force: true });
