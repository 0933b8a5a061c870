import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { run } from '../conformance/kit.ts';
import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import { createMemoryBackend } from './create-memory-backend.ts';

// A full disk ends a script here instead of failing one command of it: tested below.
sandboxConformance({
  name: 'memory',
  make: async () => createMemoryBackend(),
  traits: { processes: false, isolated: true, holds: [] },
});

test('ends a loop that never lets go at its time, and holds nothing up meanwhile', async () => {
  const backend = createMemoryBackend();
  try {
    const sandbox = await backend.start();
    const loop = sandbox.exec({ argv: ['sh', '-c', 'while true; do :; done'], timeoutMs: 300 });
    assert.equal((await run(sandbox, ['echo', 'meanwhile'])).out, 'meanwhile\n');
    assert.deepEqual((await loop.result).end, { type: 'timed_out', afterMs: 300 });
    assert.equal((await run(sandbox, ['echo', 'after'])).out, 'after\n');
  } finally {
    await backend.close();
  }
});

test('holds the size of all files', async () => {
  const backend = createMemoryBackend();
  try {
    const sandbox = await backend.start({ limits: { diskBytes: 1_000_000 } });
    const big = new Uint8Array(2_000_000);
    const isTooLarge = (error: unknown) => ForgeError.is(error, 'too_large');
    await assert.rejects(sandbox.writeFile('big', big), isTooLarge);
    const filled = await run(sandbox, ['sh', '-c', 'head -c 2000000 /dev/zero > filled']);
    assert.notEqual(filled.exitCode, 0);
    assert.match(filled.err, /ENOSPC/);
    const { diskBytes = 0 } = await sandbox.stats();
    assert.ok(diskBytes <= 1_000_000);
    await sandbox.writeFile('small', 'x');
  } finally {
    await backend.close();
  }
});

test('ends commands under way, and those in line, when it is stopped', async () => {
  const backend = createMemoryBackend();
  try {
    const sandbox = await backend.start({ limits: { commands: 1 } });
    const commands = [1, 2, 3].map(() => sandbox.exec({ argv: ['sleep', '600'] }));
    await sandbox.stop();
    for (const { result } of commands) assert.equal((await result).end.type, 'sandbox_ended');
  } finally {
    await backend.close();
  }
});
