import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConformanceSetup, run, sh, text, useBench } from './kit.ts';

/** Commands side by side. */
export function concurrencyConformance(setup: ConformanceSetup): void {
  const skip = !setup.traits.processes;
  describe('commands at once', () => {
    const bench = useBench(setup);

    it('runs as many at once as the limit says', { skip }, async () => {
      const { sandbox } = bench();
      assert.equal(sandbox.limits.commands, 8);
      // Each waits for all the others: less than eight at once would never end.
      const script = `mkdir -p meet; : > "meet/$1"
        until [ "$(ls meet | wc -l)" -eq 8 ]; do sleep 0.02; done; echo "met $1"`;
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => sh(sandbox, script, String(index))),
      );
      assert.deepEqual(
        all,
        Array.from({ length: 8 }, (_, index) => `met ${index}\n`),
      );
    });

    it('lets the rest wait in line', { skip }, async () => {
      const sandbox = await bench().start({ commands: 2 });
      // The first two meet: less than two at once would never end.
      const script = `echo + >> line; until [ "$(wc -l < line)" -ge 2 ]; do sleep 0.02; done
        sleep 0.05; echo - >> line; echo "$1"`;
      const numbers = Array.from({ length: 12 }, (_, index) => String(index));
      const printed = await Promise.all(numbers.map((number) => sh(sandbox, script, number)));
      assert.deepEqual(
        printed.map((line) => line.trim()),
        numbers,
      );
      let now = 0;
      let most = 0;
      for (const sign of (await sh(sandbox, 'cat line')).trim().split('\n')) {
        now += sign === '+' ? 1 : -1;
        most = Math.max(most, now);
      }
      assert.equal(most, 2);
    });

    it('cancels one that waits, and starts the next', { skip }, async () => {
      const sandbox = await bench().start({ commands: 1 });
      const first = sandbox.exec({ argv: ['sh', '-c', 'echo up; while :; do sleep 0.05; done'] });
      for await (const _ of first.output) break;
      const second = sandbox.exec({ argv: ['sh', '-c', 'echo ran >> ran'] });
      const third = sandbox.exec({ argv: ['sh', '-c', 'echo third'] });
      second.kill();
      assert.deepEqual((await second.result).end, { type: 'cancelled' });
      first.kill();
      assert.equal(text((await third.result).stdout), 'third\n');
      assert.equal(await sh(sandbox, 'test ! -e ran && echo none'), 'none\n');
    });

    it('keeps the output of many commands apart', async () => {
      const { sandbox } = bench();
      const script = 'i=0; while [ $i -lt 200 ]; do echo "$1"; echo "$1" >&2; i=$((i+1)); done';
      await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const ran = await run(sandbox, ['sh', '-c', script, 'sh', `n${index}`]);
          assert.equal(ran.out, `n${index}\n`.repeat(200));
          assert.equal(ran.err, ran.out);
        }),
      );
    });

    it('moves files while commands run', { skip }, async () => {
      const { sandbox } = bench();
      const busy = Array.from({ length: sandbox.limits.commands }, () =>
        sandbox.exec({ argv: ['sleep', '600'] }),
      );
      await sandbox.writeFile('meanwhile', 'x'.repeat(100_000));
      assert.equal((await sandbox.readFile('meanwhile')).size, 100_000);
      for (const execution of busy) execution.kill();
      await Promise.all(busy.map(({ result }) => result));
    });
  });
}
