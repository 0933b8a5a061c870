import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readExamples } from '../../../scripts/checks/readme-example.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));

for (const name of ['agents', 'durability']) {
  const markdown = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
  for (const { code, output, line } of readExamples(markdown)) {
    test(`the example in line ${line} of docs/${name}.md runs and prints what it says`, () => {
      const args = ['--input-type=module-typescript', '--eval', code];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd,
        encoding: 'utf8',
        timeout: 120_000,
      });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trimEnd(), output?.trimEnd());
    });
  }
}
