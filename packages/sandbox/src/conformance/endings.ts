import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sandbox } from '../sandbox.ts';
import { type ConformanceSetup, gone, run, sh, text, token, useBench } from './kit.ts';

/** Signals, timeouts, cancellation, and what commands leave behind. */
export function endingsConformance(setup: ConformanceSetup): void {
  const skip = !setup.traits.processes;
  describe('endings', () => {
    const bench = useBench(setup);

    it('names the signal a command died of', { skip }, async () => {
      const { sandbox } = bench();
      for (const [signal, code] of [
        ['KILL', 137],
        ['TERM', 143],
        ['SEGV', 139],
        ['ABRT', 134],
      ] as const) {
        const ran = await run(sandbox, ['sh', '-c', `kill -${signal} $$`]);
        assert.deepEqual(ran.end, { type: 'signalled', signal: `SIG${signal}` });
        assert.equal(ran.exitCode, code);
      }
    });

    it('kills at its time, and keeps what was printed', { skip }, async () => {
      const { sandbox } = bench();
      const argv = ['sh', '-c', 'echo before; sleep 600'] as const;
      const ran = await run(sandbox, { argv, timeoutMs: 2_000 });
      assert.equal(ran.end.type, 'timed_out');
      assert.equal(ran.exitCode, 124);
      assert.equal(ran.out, 'before\n');
      assert.ok(ran.durationMs >= 1_990);
      assert.equal(await sh(sandbox, 'echo next'), 'next\n');
    });

    it('holds every command to the limit of the sandbox', { skip }, async () => {
      const sandbox = await bench().start({ timeMs: 300 });
      assert.equal((await run(sandbox, ['sleep', '600'])).end.type, 'timed_out');
      const longer = await run(sandbox, { argv: ['sleep', '600'], timeoutMs: 600_000 });
      assert.equal(longer.end.type, 'timed_out');
    });

    for (const [what, script] of Object.entries(stubborn)) {
      it(`leaves nothing of ${what} at a timeout`, { skip }, async () => {
        const { sandbox } = bench();
        const mark = token();
        const execution = await started({ sandbox, script, mark, timeoutMs: 1000 });
        assert.equal((await execution.result).end.type, 'timed_out');
        await gone(sandbox, mark);
      });

      it(`leaves nothing of ${what} when cancelled`, { skip }, async () => {
        const { sandbox } = bench();
        const mark = token();
        const controller = new AbortController();
        const execution = await started({
          sandbox,
          script,
          mark,
          timeoutMs: 60_000,
          signal: controller.signal,
        });
        controller.abort();
        const result = await execution.result;
        assert.deepEqual(result.end, { type: 'cancelled' });
        assert.equal(result.exitCode, 130);
        await gone(sandbox, mark);
      });
    }

    it('ends what a command leaves running', { skip }, async () => {
      const { sandbox } = bench();
      const marks = [token(), token(), token()] as const;
      const script = `
        sleep 600 &
        sh -c 'while :; do sleep 0.1; done' "$1" &
        setsid sh -c 'trap "" TERM HUP; while :; do echo late; sleep 0.1; done' "$2" &
        (setsid sh -c '(while :; do echo late >&2; sleep 0.1; done) & exec true' "$3" >/dev/null &)
        echo left`;
      const ran = await run(sandbox, {
        argv: ['sh', '-c', script, 'sh', ...marks],
        timeoutMs: 60_000,
      });
      assert.equal(ran.exitCode, 0);
      assert.match(ran.out, /^left$/m);
      for (const mark of marks) await gone(sandbox, mark);
      // Nothing a straggler printed reaches another command.
      for (let again = 0; again < 5; again += 1) {
        const next = await run(sandbox, ['sh', '-c', 'echo own; echo own >&2']);
        assert.equal(`${next.out}${next.err}`, 'own\nown\n');
      }
    });

    it('spares the other commands when it ends one', { skip }, async () => {
      const { sandbox } = bench();
      const other = sandbox.exec({
        argv: ['sh', '-c', 'echo up; while [ ! -e spared ]; do sleep 0.02; done; echo whole'],
      });
      await other.output[Symbol.asyncIterator]().next();
      assert.equal((await run(sandbox, { argv: ['sleep', '600'], timeoutMs: 100 })).exitCode, 124);
      await sh(sandbox, 'sleep 600 & exit 0');
      await sandbox.writeFile('spared', '');
      const result = await other.result;
      assert.equal(text(result.stdout), 'up\nwhole\n');
    });

    it('does not start a command that was cancelled before', async () => {
      const { sandbox } = bench();
      const execution = sandbox.exec(
        { argv: ['sh', '-c', 'echo ran > ran'] },
        { signal: AbortSignal.abort() },
      );
      assert.deepEqual((await execution.result).end, { type: 'cancelled' });
      for await (const _ of execution.output) assert.fail('it printed');
      assert.equal(await sh(sandbox, 'test ! -e ran && echo none'), 'none\n');
    });

    it('may be killed at any time, and again', async () => {
      const { sandbox } = bench();
      const execution = sandbox.exec({ argv: ['sleep', '600'] });
      execution.kill();
      execution.kill();
      assert.deepEqual((await execution.result).end, { type: 'cancelled' });
      execution.kill();
      const ended = sandbox.exec({ argv: ['true'] });
      await ended.result;
      ended.kill();
      assert.deepEqual((await ended.result).end, { type: 'exited', code: 0 });
    });
  });
}

/** Scripts that do not want to end. Each prints `up` when it stands; `$1` marks its processes. */
const stubborn = {
  'a command that ignores signals':
    'trap "" TERM HUP INT; sh -c \'trap "" TERM HUP INT; echo up; while :; do sleep 0.1; done\' "$1"',
  'a double-forked daemon': `
    (setsid sh -c '(trap "" TERM HUP INT; echo up; while :; do sleep 0.1; done) & wait' "$1" &)
    while :; do sleep 1; done`,
  'a daemon without ties': `
    setsid sh -c 'setsid sh -c "echo up; exec >/dev/null 2>&1 </dev/null; cd /; while :; do sleep 0.1; done" "$1" & exit' "$1" "$1" &
    sleep 600`,
} as const;

interface Started {
  readonly sandbox: Sandbox;
  readonly script: string;
  readonly mark: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Gives the command back once it has printed `up`. */
async function started({ sandbox, script, mark, timeoutMs, signal }: Started) {
  const execution = sandbox.exec(
    { argv: ['sh', '-c', script, 'sh', mark], timeoutMs },
    signal === undefined ? {} : { signal },
  );
  for await (const { bytes } of execution.output) {
    if (text(bytes).includes('up')) break;
  }
  return execution;
}
