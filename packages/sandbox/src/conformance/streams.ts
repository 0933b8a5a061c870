import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { OutputChunk } from '../sandbox.ts';
import { type ConformanceSetup, run, sh, text, useBench } from './kit.ts';

/** What goes in and what comes out. */
export function streamsConformance(setup: ConformanceSetup): void {
  const { processes } = setup.traits;
  describe('input and output', () => {
    const bench = useBench(setup);

    it('gives bytes to stdin, any bytes, and then its end', async () => {
      const { sandbox } = bench();
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const inputs = [Buffer.alloc(0), Buffer.from('x'), every, randomBytes(3_000_000)];
      for (const stdin of inputs) {
        const { stdout } = await run(sandbox, { argv: ['cat'], stdin });
        assert.ok(Buffer.from(stdout).equals(stdin), `${stdin.length} bytes`);
      }
      assert.equal((await run(sandbox, { argv: ['cat'], stdin: 'ü\n' })).out, 'ü\n');
    });

    it('has an empty stdin when none is given', async () => {
      assert.equal((await run(bench().sandbox, ['cat'])).out, '');
    });

    it('ends a command that leaves its stdin unread', async () => {
      const stdin = randomBytes(2_000_000);
      const ran = await run(bench().sandbox, { argv: ['head', '-c', '3'], stdin });
      assert.ok(Buffer.from(ran.stdout).equals(stdin.subarray(0, 3)));
      assert.equal(await sh(bench().sandbox, 'echo next'), 'next\n');
    });

    it('keeps the two streams apart, byte for byte', async () => {
      const { sandbox } = bench();
      const odd = Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28, 0x1b, 0x5d, 10, 0xe2, 0x82]);
      const { stdout, stderr } = await run(sandbox, {
        argv: ['sh', '-c', 'cat; printf "to err" >&2'],
        stdin: odd,
      });
      assert.ok(Buffer.from(stdout).equals(odd));
      assert.equal(text(stderr), 'to err');
      const silent = await run(sandbox, ['sh', '-c', 'printf "no newline"']);
      assert.equal(silent.out, 'no newline');
    });

    it('streams output in order, as it comes', { skip: !processes }, async () => {
      const { sandbox } = bench();
      const script = 'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; echo three >&2';
      const execution = sandbox.exec({ argv: ['sh', '-c', script] });
      let seen = '';
      for await (const { stream, bytes } of execution.output) {
        if (seen === '') await sandbox.writeFile('go', '');
        seen += `${stream === 'stderr' ? 'err:' : ''}${text(bytes)}`;
      }
      assert.equal(seen.replace('err:three\n', ''), 'one\ntwo\n');
      assert.match(seen, /err:three\n/);
      assert.equal(text((await execution.result).stdout), 'one\ntwo\n');
    });

    it('streams all that is kept, whenever it is read', async () => {
      const { sandbox } = bench();
      const argv = ['sh', '-c', 'seq 1 20000; seq 1 5000 >&2'] as const;
      const early = sandbox.exec({ argv });
      const streamed = await collect(early.output);
      const { stdout, stderr } = await early.result;
      assert.equal(streamed.stdout, text(stdout));
      assert.equal(streamed.stderr, text(stderr));
      assert.ok(streamed.stdout.endsWith('\n20000\n'));
      const late = sandbox.exec({ argv: ['echo', 'hello'] });
      await late.result;
      assert.equal((await collect(late.output)).stdout, 'hello\n');
    });

    it('drops what is over the limit, and counts it', async () => {
      const sandbox = await bench().start({ outputBytes: 10_000 });
      const script = 'head -c 700000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3';
      const execution = sandbox.exec({ argv: ['sh', '-c', script] });
      const { stdout, stderr, dropped, exitCode } = await execution.result;
      assert.equal(exitCode, 3);
      assert.equal(stdout.length + stderr.length, 10_000);
      assert.equal(dropped, 990_000);
      const { bytes } = await collect(execution.output);
      assert.equal(bytes, 10_000);
      const exact = await run(sandbox, ['head', '-c', '10000', '/dev/zero']);
      assert.equal(exact.dropped, 0);
      assert.equal(exact.stdout.length, 10_000);
    });

    it('survives a line that never ends', { skip: !processes }, async () => {
      const sandbox = await bench().start({ outputBytes: 100_000 });
      const ran = await run(sandbox, ['sh', '-c', 'head -c 100000000 /dev/zero | tr "\\0" x']);
      assert.equal(ran.dropped, 99_900_000);
      assert.equal(ran.out, 'x'.repeat(100_000));
    });

    it('is not held up by a reader that stalls', { skip: !processes }, async () => {
      const { sandbox } = bench();
      const stalled = sandbox.exec({ argv: ['sh', '-c', 'yes stalled'], timeoutMs: 3_000 });
      const reader = stalled.output[Symbol.asyncIterator]();
      assert.equal((await reader.next()).done, false);
      assert.equal(await sh(sandbox, 'echo meanwhile'), 'meanwhile\n');
      assert.equal((await stalled.result).end.type, 'timed_out');
      while (!(await reader.next()).done);
      const killed = sandbox.exec({ argv: ['yes'] });
      await killed.output[Symbol.asyncIterator]().next();
      killed.kill();
      assert.equal((await killed.result).end.type, 'cancelled');
      assert.equal(await sh(sandbox, 'echo after'), 'after\n');
    });

    it('lets go of a reader that leaves early', { skip: !processes }, async () => {
      const { sandbox } = bench();
      const execution = sandbox.exec({ argv: ['sh', '-c', 'seq 1 100000; echo done >&2'] });
      for await (const _ of execution.output) break;
      const { exitCode, stderr } = await execution.result;
      assert.equal(exitCode, 0);
      assert.equal(text(stderr), 'done\n');
    });
  });
}

async function collect(
  output: AsyncIterable<OutputChunk>,
): Promise<{ stdout: string; stderr: string; bytes: number }> {
  const parts: Record<OutputChunk['stream'], Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const { stream, bytes } of output) parts[stream].push(bytes);
  const stdout = Buffer.concat(parts.stdout);
  const stderr = Buffer.concat(parts.stderr);
  return {
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    bytes: stdout.length + stderr.length,
  };
}
