import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folderTarget } from './folder-target.ts';

test('the custom target publishes two versions and goes back', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8' });
  assert.deepEqual(
    stdout.trim().split('\n'),
    [
      'published: Version one',
      'published: Version two',
      'after the rollback: Version one',
      'two - rolled_back - A link on it leads nowhere.',
      'one - live',
    ],
    stderr,
  );
});

test('the example in docs/targets.md is this target', () => {
  const docs = readFileSync(new URL('../../docs/targets.md', import.meta.url), 'utf8');
  const code = readFileSync(new URL('./folder-target.ts', import.meta.url), 'utf8');
  assert.ok(docs.includes(`\`\`\`ts\n${code}\`\`\``), 'copy folder-target.ts into docs/targets.md');
});

test('it deploys the same release again, and says what is missing', async () => {
  const root = mkdtempSync(join(tmpdir(), 'forge-folder-target-'));
  try {
    const context = {
      project: 'site',
      config: folderTarget.config.parse({ publish_to: join(root, 'public') }),
      folder: join(root, 'state'),
      signal: new AbortController().signal,
      tell: () => {},
    };
    const source = { path: join(root, 'tree'), commit: 'c' };
    mkdirSync(source.path);
    assert.equal((await folderTarget.validate(context, source)).length, 1);
    writeFileSync(join(source.path, 'index.html'), 'hello');
    assert.deepEqual(await folderTarget.validate(context, source), []);
    const built = await folderTarget.build(context, source, { id: 'a' });
    const live = await folderTarget.deploy(context, built, { id: 'a' });
    assert.deepEqual(await folderTarget.build(context, source, { id: 'a' }), built);
    assert.deepEqual(await folderTarget.deploy(context, built, { id: 'a' }), live);
    assert.equal((await folderTarget.healthCheck(context)).healthy, true);
    await folderTarget.stop(context);
    await folderTarget.stop(context);
    assert.equal((await folderTarget.healthCheck(context)).healthy, false);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
