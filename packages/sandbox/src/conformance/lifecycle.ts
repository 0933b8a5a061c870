import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { type ConformanceSetup, eventually, failsWith, run, token, useBench } from './kit.ts';

/** Starting, stopping, and what is there in between. */
export function lifecycleConformance(setup: ConformanceSetup): void {
  const { processes } = setup.traits;
  describe('lifecycle', () => {
    const bench = useBench(setup);

    it('says whether it can work here', async () => {
      const probe = await bench().backend.probe();
      assert.equal(probe.available, true, JSON.stringify(probe));
      assert.ok(probe.available && probe.version !== '');
    });

    it('is listed while it lives, with its labels', async () => {
      const { backend, start } = bench();
      const sandbox = await start({}, { labels: { run: 'r-1', 'odd label': 'x y=z' } });
      const other = await start();
      assert.notEqual(sandbox.id, other.id);
      assert.equal(sandbox.state(), 'running');
      assert.equal(sandbox.backend, backend.name);
      const info = (await backend.list()).find(({ id }) => id === sandbox.id);
      assert.equal(info?.state, 'running');
      assert.deepEqual(info?.labels, { run: 'r-1', 'odd label': 'x y=z' });
      assert.ok((info?.startedAt ?? 0) > 1_600_000_000_000);
      await sandbox.stop();
      assert.equal(sandbox.state(), 'stopped');
      assert.equal(
        (await backend.list()).some(({ id }) => id === sandbox.id),
        false,
      );
      await run(other, ['true']);
    });

    it('shares nothing with another sandbox', async () => {
      const { start } = bench();
      const [one, two] = await Promise.all([start(), start()]);
      await one.writeFile('own', 'x');
      await failsWith(two.readFile('own'), 'not_found');
    });

    it('ends all commands when it is stopped', { skip: !processes }, async () => {
      const sandbox = await bench().start({ commands: 2 });
      const commands = Array.from({ length: 4 }, () =>
        sandbox.exec({ argv: ['sh', '-c', 'trap "" TERM; echo up; while :; do sleep 0.1; done'] }),
      );
      await commands[0]?.output[Symbol.asyncIterator]().next();
      await sandbox.stop();
      for (const { result, output } of commands) {
        assert.equal((await result).end.type, 'sandbox_ended');
        for await (const _ of output) void _;
      }
    });

    it('stops once, however often it is told', async () => {
      const sandbox = await bench().start();
      const stops = [sandbox.stop(), sandbox.stop(), sandbox.stop({ graceMs: 10 })];
      await Promise.all(stops);
      await sandbox.stop();
      assert.equal(sandbox.state(), 'stopped');
    });

    it('does nothing more once stopped', async () => {
      const sandbox = await bench().start();
      await sandbox.stop();
      assert.throws(
        () => sandbox.exec({ argv: ['true'] }),
        (error) => ForgeError.is(error, 'not_running'),
      );
      await failsWith(sandbox.readFile('x'), 'not_running');
      await failsWith(sandbox.writeFile('x', 'x'), 'not_running');
      await failsWith(sandbox.copyIn('.', Readable.from([])), 'not_running');
      await failsWith(sandbox.copyOut('.'), 'not_running');
      await failsWith(sandbox.stats(), 'not_running');
    });

    it('gives commands the grace to end by themselves', { skip: !processes }, async () => {
      const sandbox = await bench().start();
      const script = 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done';
      const execution = sandbox.exec({ argv: ['sh', '-c', script] });
      let seen = '';
      for await (const { stream, bytes } of execution.output) {
        if (seen === '') void sandbox.stop({ graceMs: 30_000 });
        if (stream === 'stdout') seen += Buffer.from(bytes).toString();
      }
      assert.equal(seen, 'up\nbye\n');
      await sandbox.stop();
    });

    it('lives no longer than its limit', { skip: !processes }, async () => {
      const sandbox = await bench().start({ lifetimeMs: 1500 });
      const { end } = await run(sandbox, ['sleep', '600']);
      assert.equal(end.type, 'sandbox_ended');
      await eventually(async () => sandbox.state() !== 'running', 'its life is over');
      await sandbox.stop();
    });

    it('tells what it uses', async () => {
      const { sandbox } = bench();
      const stats = await sandbox.stats();
      for (const value of [stats.cpuMs, stats.memoryBytes, stats.pids, stats.diskBytes]) {
        assert.ok(value === undefined || (Number.isFinite(value) && value >= 0));
      }
    });

    it('refuses limits that make no sense', async () => {
      const { start } = bench();
      for (const limits of [
        { memoryBytes: -1 },
        { pids: 0 },
        { cpus: Number.NaN },
        { commands: 0.5 },
        { outputBytes: -1 },
        { timeMs: Number.POSITIVE_INFINITY },
      ]) {
        await failsWith(start(limits), 'invalid_options');
      }
    });

    it('does not start when cancelled', async () => {
      const { backend, start } = bench();
      const cancelled = token();
      await failsWith(
        start({}, { labels: { cancelled }, signal: AbortSignal.abort() }),
        'cancelled',
      );
      // Others may start and stop theirs meanwhile.
      const found = (await backend.list()).filter(({ labels }) => labels.cancelled === cancelled);
      assert.deepEqual(found, []);
    });

    it('ends its sandboxes when it is closed, and starts no more', async () => {
      const backend = await setup.make();
      const sandbox = await backend.start(setup.options);
      await backend.close();
      await backend.close();
      assert.notEqual(sandbox.state(), 'running');
      await failsWith(backend.start(setup.options), 'not_running');
    });

    it('finds nothing to remove where nobody died', async () => {
      const { backend, sandbox } = bench();
      const removed = await backend.reap();
      assert.equal(
        removed.some((line) => line.includes(sandbox.id)),
        false,
      );
      await run(sandbox, ['true']);
    });
  });
}
