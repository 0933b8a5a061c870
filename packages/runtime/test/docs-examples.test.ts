import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readExamples } from '../../../scripts/checks/readme-example.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));

for (const name of ['agents', 'durability']) {
  const markdown = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');
  for (const { code, output, line } of readExamples(markdown)) {
    test(`the example in line ${line} of docs/${name}.md runs and prints what it says`, (t) => {
      // What it leaves in the folder for temporary files is removed.
      const TMPDIR = mkdtempSync(join(tmpdir(), 'forge-docs-'));
      t.after(() => rmSync(TMPDIR, { recursive: true, force: true }));
      const args = ['--input-type=module-typescript', '--eval', code];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd,
        env: { ...process.env, TMPDIR },
        encoding: 'utf8',
        timeout: 120_000,
      });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trimEnd(), output?.trimEnd());
    });
  }
}
