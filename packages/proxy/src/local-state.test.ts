import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { createProxy } from './create-proxy.ts';
import { createLocalState } from './local-state.ts';

describe('createLocalState', () => {
  it('has only what is asked for', async () => {
    const state = await createLocalState({});
    assert.equal(state.slot, undefined);
    assert.equal(state.sessions, undefined);
    assert.equal(state.lessons, undefined);
    assert.equal((await state.stats.report()).total.requests, 0);
    await state.close();
    assert.equal((await createLocalState({ serialize: false })).slot, undefined);
  });

  it('lets in as many as it is told, and nobody once it is closed', async () => {
    const state = await createLocalState({ serialize: 2 });
    await state.slot?.acquire();
    await state.slot?.acquire();
    assert.equal(state.slot?.holding, 2);
    await state.close();
    await assert.rejects(state.slot?.acquire() ?? Promise.resolve(), (error) =>
      ForgeError.is(error, 'slot_stopped'),
    );
  });

  it('tells of a broken file of lessons and goes on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forge-state-'));
    const learn = join(folder, 'lessons.json');
    await writeFile(learn, '[]');
    const notices: string[] = [];
    const state = await createLocalState({ learn, onNotice: (notice) => notices.push(notice) });
    assert.match(notices.join(), /Learning starts anew/);
    assert.deepEqual(state.lessons?.advise('m'), { mode: 'native', constrainAfter: undefined });
    await state.close();
    await writeFile(learn, '[]');
    const backend = { url: 'http://127.0.0.1:1' };
    const onNotice = (notice: string) => notices.push(notice);
    const proxy = await createProxy({ backend, port: 0, learn, onNotice });
    assert.equal(notices.length, 2);
    await proxy.close();
    await rm(folder, { recursive: true });
  });
});
