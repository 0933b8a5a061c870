import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { registryLogin } from './registry-login.ts';

const folder = mkdtempSync(join(tmpdir(), 'forge-login-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') });

describe('registryLogin', () => {
  it('is what docker login left for that registry, and for no other', () => {
    assert.equal(registryLogin('ghcr.io/team', folder), undefined, 'without a file');
    const auths = {
      ...{ 'ghcr.io': auth('me:pass:word'), 'https://index.docker.io/v1/': auth('hub:secret') },
      ...{ 'helped.example': {}, 'odd.example': auth('no colon') },
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths }));
    assert.deepEqual(registryLogin('ghcr.io/team', folder), {
      ...{ username: 'me', password: 'pass:word', serveraddress: 'ghcr.io' },
    });
    assert.equal(registryLogin('docker.io/team', folder)?.username, 'hub');
    for (const other of ['ghcr.io.evil.example', 'helped.example', 'odd.example']) {
      assert.equal(registryLogin(other, folder), undefined, other);
    }
  });
});
