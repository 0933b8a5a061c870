import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { createBubblewrapBackend } from './bubblewrap/create-bubblewrap-backend.ts';
import { chooseBackend } from './choose-backend.ts';
import { createProcessBackend } from './process/create-process-backend.ts';

const nowhere = () => createBubblewrapBackend({ program: '/no/such/bwrap' });
const process = () => createProcessBackend({ trusted: true });

describe('chooseBackend', () => {
  it('takes the first that works', async () => {
    const backend = await chooseBackend('auto', {
      process,
      docker: nowhere,
      bubblewrap: () => createBubblewrapBackend(),
    });
    assert.equal(backend.name, 'bubblewrap');
    await backend.close();
  });

  it('takes plain processes only by name', async () => {
    await assert.rejects(
      chooseBackend('auto', { bubblewrap: nowhere, process }),
      (error) =>
        ForgeError.is(error, 'sandbox_failed') &&
        /apt install bubblewrap/.test(error.message) &&
        /choose "process"/.test(error.message),
    );
    assert.equal((await chooseBackend('process', { process })).name, 'process');
  });

  it('lists what there is for a name it does not know', async () => {
    await assert.rejects(
      chooseBackend('dokcer', { bubblewrap: nowhere, process }),
      (error) =>
        ForgeError.is(error, 'invalid_options') && /auto, bubblewrap, process/.test(error.message),
    );
  });

  it('closes what it does not choose, and says why a named one does not work', async () => {
    let closed = 0;
    const failing = () => {
      const backend = nowhere();
      const close = async () => {
        closed += 1;
      };
      return { ...withMethods(backend), close };
    };
    await assert.rejects(chooseBackend('bubblewrap', { bubblewrap: failing }), (error) =>
      ForgeError.is(error, 'sandbox_failed'),
    );
    assert.equal(closed, 1);
  });
});

function withMethods(backend: ReturnType<typeof nowhere>) {
  return {
    name: backend.name,
    probe: () => backend.probe(),
    start: () => backend.start(),
    list: () => backend.list(),
    reap: () => backend.reap(),
  };
}
