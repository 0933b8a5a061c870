import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { failsWith } from './conformance/kit.ts';
import { openStore } from './open-store.ts';

describe('openStore', () => {
  it('takes a path, with and without its scheme', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-store-'));
    try {
      for (const [index, prefix] of ['', 'sqlite:', 'sqlite://'].entries()) {
        const file = join(folder, `${index}.db`);
        const store = await openStore(`${prefix}${file}`, { now: () => 42 });
        assert.equal(await store.now(), 42);
        assert.ok(existsSync(file), prefix);
        await store.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('says what it takes when it is given something else', async () => {
    for (const url of ['mysql://host/db', 'http://host', '', 'sqlite:']) {
      assert.match(await failsWith('invalid_options', openStore(url)), /postgres:\/\//);
    }
  });
});
