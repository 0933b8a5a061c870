import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ConformanceSetup, eventually, token, useBench } from './kit.ts';

/** What is left when the process that owned a sandbox was killed. */
export function orphansConformance(setup: ConformanceSetup): void {
  const { owner } = setup;
  describe('a dead owner', { skip: owner === undefined }, () => {
    const bench = useBench(setup);

    it('leaves nothing that the next start does not remove', async () => {
      const mark = token();
      const child = startOwner({ ...owner, sandbox: setup.options ?? {}, mark });
      try {
        const id = await idFrom(child);
        const { backend, sandbox } = bench();
        await backend.reap();
        assert.notEqual(hostProcesses(mark), 0, 'a living owner keeps its own');
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
        const next = await setup.make();
        await next.start(setup.options);
        await next.close();
        await eventually(async () => hostProcesses(mark) === 0, 'its processes are gone');
        assert.equal(
          (await backend.list()).some((info) => info.id === id),
          false,
        );
        const again = await backend.reap();
        assert.equal(
          again.some((line) => line.includes(id)),
          false,
        );
        assert.equal(sandbox.state(), 'running');
      } finally {
        child.kill('SIGKILL');
      }
    });
  });
}

function startOwner(plan: object): ChildProcess {
  const script = fileURLToPath(new URL('./orphan-owner.ts', import.meta.url));
  return spawn(process.execPath, [script, JSON.stringify(plan)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The id of the sandbox it started. */
async function idFrom(child: ChildProcess): Promise<string> {
  const died = once(child, 'exit').then(() => assert.fail('the owner did not start its sandbox'));
  const [id] = await Promise.race([once(child, 'message'), died]);
  return String(id);
}

/** How many processes of this machine have the mark in their command line, other than owners. */
function hostProcesses(mark: string): number {
  let count = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (line.includes(mark) && !line.includes('orphan-owner')) count += 1;
    } catch {
      // It ended while we looked.
    }
  }
  return count;
}
