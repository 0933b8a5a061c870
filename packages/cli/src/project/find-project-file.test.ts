import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findProjectFile, newProjectFile } from './find-project-file.ts';
import { readProject } from './read-project.ts';

function folders(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'forge-project-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const deep = join(root, 'repository', 'packages', 'a');
  mkdirSync(deep, { recursive: true });
  return { root, repository: join(root, 'repository'), deep };
}

test('looks upward, as far as the root of the repository', (t) => {
  const { root, repository, deep } = folders(t);
  mkdirSync(join(repository, '.git'));
  writeFileSync(join(root, 'forge.yaml'), '');
  assert.equal(findProjectFile(deep), undefined, 'above the repository is not the project');
  assert.equal(newProjectFile(deep), join(repository, 'forge.yaml'));
  writeFileSync(join(repository, 'forge.yaml'), '');
  assert.equal(findProjectFile(deep), join(repository, 'forge.yaml'));
  writeFileSync(join(deep, 'forge.yaml'), '');
  assert.equal(findProjectFile(deep), join(deep, 'forge.yaml'), 'the nearest');
});

test('outside of a repository only the working directory counts', (t) => {
  const { root, deep } = folders(t);
  writeFileSync(join(root, 'forge.yaml'), '');
  assert.equal(findProjectFile(deep), undefined);
  assert.equal(findProjectFile(root), join(root, 'forge.yaml'));
});

test('the project comes before the user, and a file that is named alone', (t) => {
  const { root, deep } = folders(t);
  const own = join(deep, 'forge.yaml');
  writeFileSync(own, '');
  writeFileSync(join(root, 'config.yaml'), '');
  const place = { cwd: deep, configFolder: root };
  assert.deepEqual(
    readProject(place).map(({ file }) => file),
    [own, join(root, 'config.yaml')],
  );
  assert.deepEqual(
    readProject({ ...place, file: own }).map(({ file }) => file),
    [own],
  );
});
