import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processesMarked } from '@forge/sandbox/owner';
import { openHub, processesOf, temporaryFolder, untilTrue } from '../testing/open-hub.ts';
import { openLedger, reapLeftovers } from './process-ledger.ts';

const hubProcess = fileURLToPath(
  new URL('../testing/__fixtures__/hub-process.mjs', import.meta.url),
);

describe('the ledger of processes', () => {
  it('has the next start end what a killed one left, daemons too', async (test) => {
    const folder = temporaryFolder(test);
    const child = spawn(process.execPath, [hubProcess, folder, 'deaf', 'daemon'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    test.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const left = processesOf(folder);
    assert.equal(left().length, 2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(left().length, 2, 'a deaf server outlives its owner');

    await openHub(test, { folder });
    await untilTrue(() => left().length === 0);
    assert.equal(readdirSync(join(folder, 'mcp-processes')).length, 1);
  });

  it('ends everything with a process that exits without a word', async (test) => {
    const folder = temporaryFolder(test);
    const child = spawn(process.execPath, [hubProcess, folder, 'deaf', 'daemon', 'exit'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    test.after(() => child.kill('SIGKILL'));
    await once(child, 'exit');
    const left = processesOf(folder);
    await untilTrue(() => left().length === 0);
  });

  it('leaves alone what belongs to somebody who lives', async (test) => {
    const folder = temporaryFolder(test);
    const ledger = await openLedger(folder);
    const { environment, began } = ledger.admit();
    const child = spawn('sleep', ['60'], { detached: true, env: { ...environment, PATH: '/bin' } });
    test.after(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    await began(child.pid ?? 0);
    assert.equal(await reapLeftovers(folder), 0);
    assert.equal(child.exitCode, null);
    await ledger.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('ends a child and its descendants on demand', async (test) => {
    const ledger = await openLedger(temporaryFolder(test));
    const { environment, endLeftovers } = ledger.admit();
    const env = { ...environment, PATH: '/bin:/usr/bin' };
    const child = spawn('sh', ['-c', 'setsid sleep 60 & sleep 60'], { env });
    const mark = `FORGE_MCP_OWNER=${environment.FORGE_MCP_OWNER}`;
    await untilTrue(() => processesMarked(mark).length === 3);
    endLeftovers();
    await once(child, 'close');
    assert.deepEqual(processesMarked(mark), []);
    await ledger.close();
  });
});
