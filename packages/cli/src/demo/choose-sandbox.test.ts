import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createBubblewrapBackend, createMemoryBackend, createProcessBackend } from '@forge/sandbox';
import { chooseSandbox } from './choose-sandbox.ts';

const { signal } = new AbortController();
const ownNode = process.execPath;
const processes = (path?: string) =>
  createProcessBackend({ trusted: true, ...(path !== undefined && { path }) });

describe('where the demo runs its commands', () => {
  it('is the first backend that holds and has node and git', async () => {
    const makers = { bubblewrap: () => createBubblewrapBackend(), process: () => processes() };
    const { backend, node, problems } = await chooseSandbox({ makers, ownNode, signal });
    assert.deepEqual([backend, node, problems], ['bubblewrap', 'node', []]);
  });

  it('is plain processes where nothing that holds has them, and says why', async () => {
    // A sandbox with neither node nor git in it, in the place of Docker with a bare image.
    const makers = { docker: () => createMemoryBackend(), process: () => processes() };
    const { backend, problems } = await chooseSandbox({ makers, ownNode, signal });
    assert.equal(backend, 'process');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^docker: /);
  });

  it('calls the node that runs the demo, where processes find no other', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-no-node-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const program of ['sh', 'git']) symlinkSync(`/usr/bin/${program}`, join(folder, program));
    const spaced = join(folder, 'own node');
    symlinkSync(ownNode, spaced);
    const makers = { process: () => processes(folder) };
    const choice = await chooseSandbox({ makers, ownNode: spaced, signal });
    assert.equal(choice.node, `'${spaced}'`);
  });

  it('is the one that was asked for, or an error that says what it lacks', async () => {
    const makers = { docker: () => createMemoryBackend(), process: () => processes() };
    await assert.rejects(chooseSandbox({ wanted: 'docker', makers, ownNode, signal }), {
      code: 'sandbox_failed',
      message: /docker: .*\nnode 20 or newer and git/s,
    });
  });
});
