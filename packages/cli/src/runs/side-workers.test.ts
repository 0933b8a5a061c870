import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openStore } from '@forge/store';
import { flagsLabel } from '../workshop/labels.ts';
import { SideWorkers } from './side-workers.ts';

it('settings that cannot be opened do not keep others waiting for ever', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-sides-'));
  const store = await openStore(join(folder, 'runs.db'));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const opened: unknown[] = [];
  const beside = new SideWorkers({
    open({ flags }) {
      opened.push(flags.profile);
      return Promise.reject(new Error('no such profile'));
    },
    concurrency: 1,
    tell: () => {},
  });
  const { claim } = beside.view(store);
  const profiles = Array.from({ length: 12 }, (_, at) => `p${at}`);
  for (const profile of profiles) {
    const labels = { [flagsLabel]: JSON.stringify({ profile }) };
    await store.createRun({ id: profile, agent: 'a', labels });
    assert.deepEqual(await claim({ owner: 'me', ttl: 10_000, limit: 1 }), []);
    await turn();
  }
  assert.deepEqual(opened, profiles);
  await beside.stop({ grace: 0 });
});
