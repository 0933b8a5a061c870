import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConformanceSetup, eventually, run, sh, useBench } from './kit.ts';

/** The limits of a sandbox as a whole, for the backends that hold them. */
export function limitsConformance(setup: ConformanceSetup): void {
  const skip = (limit: 'memory' | 'pids' | 'disk') => ({
    skip: !setup.traits.holds.includes(limit),
  });
  describe('limits', () => {
    const bench = useBench(setup);

    it('ends a command that takes too much memory', skip('memory'), async () => {
      const sandbox = await bench().start({ memoryBytes: 64 * 1024 * 1024 });
      const ran = await run(sandbox, { argv: ['tail', '/dev/zero'], timeoutMs: 60_000 });
      assert.deepEqual(ran.end, { type: 'signalled', signal: 'SIGKILL', outOfMemory: true });
      assert.equal(ran.exitCode, 137);
      assert.equal(await sh(sandbox, 'echo fine'), 'fine\n');
      const own = await run(sandbox, ['sh', '-c', 'kill -KILL $$']);
      assert.deepEqual(own.end, { type: 'signalled', signal: 'SIGKILL' });
    });

    it('counts what lies in memory of all commands together', skip('memory'), async () => {
      const sandbox = await bench().start({ memoryBytes: 64 * 1024 * 1024 });
      const script = 'x=$(head -c 30000000 /dev/zero | tr "\\0" x); echo kept; sleep 600';
      const commands = Array.from({ length: 4 }, () =>
        run(sandbox, { argv: ['sh', '-c', script], timeoutMs: 60_000 }),
      );
      const { end } = await Promise.race(commands);
      assert.notEqual(end.type, 'timed_out', 'nothing was ended');
      await sandbox.stop();
      await Promise.all(commands);
    });

    it('holds the number of processes', skip('pids'), async () => {
      const sandbox = await bench().start({ pids: 48 });
      const script = 'i=0; while [ $i -lt 100 ]; do sleep 600 & i=$((i+1)); done; echo all';
      const ran = await run(sandbox, { argv: ['sh', '-c', script], timeoutMs: 60_000 });
      assert.doesNotMatch(ran.out, /all/);
      assert.notEqual(ran.exitCode, 0);
      await eventually(
        async () => (await run(sandbox, ['echo', 'fine'])).out === 'fine\n',
        'commands run again',
      );
    });

    it('survives a bomb of processes', skip('pids'), async () => {
      const sandbox = await bench().start({ pids: 48 });
      const bomb = { argv: ['sh', '-c', 'b() { b | b & b; }; b'], timeoutMs: 1500 } as const;
      await run(sandbox, bomb);
      await eventually(
        async () => (await run(sandbox, ['echo', 'fine'])).out === 'fine\n',
        'commands run again',
      );
    });

    it('holds the size of the workspace and of /tmp', skip('disk'), async () => {
      const sandbox = await bench().start({ diskBytes: 8 * 1024 * 1024 });
      for (const folder of [sandbox.workspace, '/tmp']) {
        const script = `cd "$1"; for i in 1 2 3 4 5 6; do head -c 3000000 /dev/zero > "f$i" || echo full; done`;
        const { out } = await run(sandbox, ['sh', '-c', script, 'sh', folder]);
        assert.match(out, /full/);
        const bytes = await sh(sandbox, 'cd "$1"; cat f* | wc -c; rm f*', folder);
        assert.ok(Number(bytes) <= 8 * 1024 * 1024, bytes);
      }
      await assert.rejects(sandbox.writeFile('big', new Uint8Array(9_000_000)));
      assert.equal(await sh(sandbox, 'ls -A'), '');
      await sandbox.writeFile('small', 'x');
    });
  });
}
