import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import { createProcessBackend } from './create-process-backend.ts';

process.env.FORGE_TEST_SECRET = 'must not be seen';

sandboxConformance({
  name: 'process',
  make: async () => createProcessBackend({ trusted: true }),
  traits: { processes: true, isolated: false, holds: [] },
  owner: {
    module: new URL('./create-process-backend.ts', import.meta.url).href,
    make: 'createProcessBackend',
    options: { trusted: true },
  },
});

describe('process backend', () => {
  it('says what it cannot hold', async () => {
    const probe = await createProcessBackend({ trusted: true }).probe();
    assert.ok(probe.available && probe.cannot.some((line) => line.startsWith('no isolation')));
  });

  it('promises no network it cannot hold', async () => {
    const backend = createProcessBackend({ trusted: true });
    for (const network of [{ type: 'none' }, { type: 'allow', hosts: ['a.example'] }] as const) {
      await assert.rejects(backend.start({ network }), (error) =>
        ForgeError.is(error, 'invalid_options'),
      );
    }
  });

  it('has to be asked for by name', () => {
    assert.throws(
      // @ts-expect-error: as a caller without types would.
      () => createProcessBackend({}),
      (error) => ForgeError.is(error, 'invalid_options') && /trusted/.test(error.message),
    );
  });
});
