import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readExamples } from './checks/readme-example.ts';
import { listPackages } from './checks/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const { folder } of listPackages(root)) {
  test(`the example in ${folder}/README.md runs and prints what it says`, () => {
    const [example] = readExamples(readFileSync(join(root, folder, 'README.md'), 'utf8'));
    assert.ok(example, 'no ```ts example');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '--eval', example.code],
      { cwd: join(root, folder), encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    if (example.output !== undefined) assert.equal(stdout.trimEnd(), example.output.trimEnd());
  });
}
