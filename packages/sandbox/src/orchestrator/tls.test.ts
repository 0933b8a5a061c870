import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sh } from '../conformance/kit.ts';
import { createMemoryBackend } from '../memory/create-memory-backend.ts';
import { createRemoteBackend } from '../remote/create-remote-backend.ts';
import { startOrchestrator } from './start-orchestrator.ts';

const token = 'a token that only tests know';
const folder = mkdtempSync(join(tmpdir(), 'forge-tls-'));
const pem = (name: string) => readFileSync(join(folder, name));

before(() => {
  for (const name of ['server', 'stranger']) {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-x509'];
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)];
    execFileSync('openssl', ['req', ...kind, ...subject, ...files, '-days', '2'], {
      stdio: 'ignore',
    });
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('speaks TLS, and only with those who trust it and are trusted', async () => {
  const backend = createMemoryBackend();
  const tls = { cert: pem('server.crt'), key: pem('server.key'), clientCa: pem('server.crt') };
  const orchestrator = await startOrchestrator({ backend, listen: '127.0.0.1:0', token, tls });
  const { address } = orchestrator;
  const own = { ca: pem('server.crt'), cert: pem('server.crt'), key: pem('server.key') };
  const backends = [
    createRemoteBackend({ address, token, tls: own }),
    createRemoteBackend({ address, token }),
    createRemoteBackend({ address, token, tls: { ca: pem('stranger.crt') } }),
    createRemoteBackend({ address, token, tls: { ca: pem('server.crt') } }),
  ];
  try {
    const [good, ...bad] = backends;
    const sandbox = await good?.start();
    assert.ok(sandbox);
    assert.equal(await sh(sandbox, 'echo hi'), 'hi\n');
    for (const other of bad) assert.equal((await other.probe()).available, false);
  } finally {
    for (const one of backends) await one.close();
    await orchestrator.close({ graceMs: 0 });
    await backend.close();
  }
});
