import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { processesMarked, signalProcess } from './marked-processes.ts';

describe('processesMarked', () => {
  it('finds those whose variable begins so, and no others', async (test) => {
    const id = randomUUID();
    const start = async (env: Readonly<Record<string, string>>) => {
      const child = spawn('/bin/sleep', ['60'], { env });
      test.after(() => child.kill('SIGKILL'));
      await once(child, 'spawn');
      return child;
    };
    const first = await start({ MARK: `${id}.1` });
    const tenth = await start({ PATH: '/bin', MARK: `${id}.10` });
    await start({ OTHER: `MARK=${id}.1` });
    const pids = (...children: (typeof first)[]) => children.map(({ pid }) => pid).sort();
    assert.deepEqual(processesMarked(`MARK=${id}.`).sort(), pids(first, tenth));
    assert.deepEqual(processesMarked(`MARK=${id}.1\0`), pids(first));
    assert.deepEqual(
      processesMarked(`MARK=${id}.`, (pid) => pid !== first.pid),
      pids(tenth),
    );
    assert.equal(signalProcess(first.pid ?? 0, 'SIGKILL'), true);
    await once(first, 'exit');
    assert.deepEqual(processesMarked(`MARK=${id}.`), pids(tenth));
  });
});
