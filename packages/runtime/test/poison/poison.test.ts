import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openStore } from '@forge/store';
import { createRuntime } from '../../src/control/create-runtime.ts';

const program = fileURLToPath(new URL('./poison-worker.ts', import.meta.url));

/** Workers one after the other: the next begins when one has died. */
function keepWorking(file: string) {
  let isOver = false;
  let deaths = 0;
  let child: ChildProcess | undefined;
  const work = async () => {
    while (!isOver) {
      child = fork(program, [file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const [, signal] = await once(child, 'exit');
      if (signal === 'SIGKILL') deaths += 1;
    }
  };
  const working = work();
  return {
    get deaths() {
      return deaths;
    },
    async stop() {
      isOver = true;
      if (child?.connected) child.send('stop');
      await working;
    },
  };
}

it('a run that kills its worker again and again is put aside, those beside it are not', {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-poison-'));
  const file = join(folder, 'store.db');
  const store = await openStore(file);
  const runtime = createRuntime({ store });
  const workers = keepWorking(file);
  after(async () => {
    await workers.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const innocent = Array.from({ length: 20 }, (_, index) => `innocent-${index}`);
  await runtime.launch('poison', 'Go.', { id: 'poison' });
  for (const id of innocent) await runtime.launch('innocent', 'Go.', { id });
  const ends = await Promise.all(['poison', ...innocent].map((id) => runtime.ended(id)));
  assert.deepEqual(
    ends.filter(({ run }) => run.state !== 'completed').map(({ run }) => run.id),
    ['poison'],
  );
  assert.match(ends[0]?.run.explanation ?? '', /8 workers in a row came to nothing/);
  assert.ok(workers.deaths >= 8);
});
