import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readExamples } from '../../../scripts/checks/readme-example.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('the tool in docs/tools.md runs and prints what it says', () => {
  const page = readFileSync(`${root}/docs/tools.md`, 'utf8');
  const section = page.slice(page.indexOf('## Writing a tool'), page.indexOf('## Plugins'));
  const [example] = readExamples(section);
  assert.ok(example?.output !== undefined);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', example.code],
    { cwd: `${root}/packages/cli`, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trimEnd(), example.output.trimEnd());
});
