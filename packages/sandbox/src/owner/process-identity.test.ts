import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fateOf, formatIdentity, identifyProcess, parseIdentity } from './process-identity.ts';

describe('the identity of a process', () => {
  it('is alive while its process is, and dead after', async (test) => {
    const child = spawn('sleep', ['60']);
    test.after(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid ?? 0);
    assert.ok(identity);
    assert.deepEqual(parseIdentity(formatIdentity(identity)), identity);
    assert.equal(fateOf(identity), 'alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(fateOf(identity), 'dead');
    assert.equal(identifyProcess(identity.pid), undefined);
  });

  it('is that of no later process with the same number', () => {
    const own = identifyProcess(process.pid);
    assert.ok(own);
    assert.equal(fateOf({ ...own, started: '1' }), 'dead');
    assert.equal(fateOf({ ...own, space: `00000000${own.space.slice(8)}` }), 'dead');
  });

  it('says nothing of one it cannot look at', () => {
    const own = identifyProcess(process.pid);
    assert.ok(own);
    assert.equal(fateOf({ ...own, space: `${own.space.slice(0, 8)}1` }), 'unknown');
    assert.equal(fateOf({ ...own, started: '0', space: '0' }), 'unknown');
  });
});
