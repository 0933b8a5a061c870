import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildContext } from './build-context.ts';

const root = mkdtempSync(join(tmpdir(), 'forge-context-'));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
function tree(): string {
  count += 1;
  const path = join(root, `tree-${count}`);
  mkdirSync(join(path, 'service'), { recursive: true });
  writeFileSync(join(path, 'service', 'Dockerfile'), 'FROM x');
  return path;
}
const config = { context: 'service', dockerfile: 'Dockerfile' };

describe('the context of a build', () => {
  it('is where the config says, also by a link within the tree', () => {
    const path = tree();
    symlinkSync('service', join(path, 'linked'));
    for (const context of ['service', './service', 'linked']) {
      const folder = join(path, 'service');
      const dockerfile = join(folder, 'Dockerfile');
      assert.deepEqual(buildContext(path, { ...config, context }), { folder, dockerfile });
    }
  });

  it('is never a folder of this machine that the tree has a link to', () => {
    const path = tree();
    mkdirSync(join(root, 'secrets'), { recursive: true });
    writeFileSync(join(root, 'secrets', 'Dockerfile'), 'FROM x');
    symlinkSync('../secrets', join(path, 'leak'));
    assert.throws(
      () => buildContext(path, { ...config, context: 'leak' }),
      /leads out of the tree/,
    );
  });

  it('has a Dockerfile that is a file, and lies in it', () => {
    const path = tree();
    assert.throws(
      () => buildContext(path, { ...config, dockerfile: 'no' }),
      /There is no service\/no/,
    );
    symlinkSync('/dev/zero', join(path, 'service', 'endless'));
    assert.throws(() => buildContext(path, { ...config, dockerfile: 'endless' }), /leads out/);
    mkdirSync(join(path, 'service', 'folder'));
    assert.throws(() => buildContext(path, { ...config, dockerfile: 'folder' }), /is no file/);
  });
});
