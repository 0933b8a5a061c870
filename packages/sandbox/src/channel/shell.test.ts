import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { type Command, defaultLimits, type SandboxLimits } from '../sandbox.ts';
import { type Namespace, openNamespace } from '../testing/open-namespace.ts';
import { openShell, type Shell } from './shell.ts';

for (const program of ['/bin/dash', '/bin/bash']) {
  describe(`a shell over channels to ${program}`, { skip: !existsSync(program) }, () => {
    let space: Namespace;
    let shell: Shell;
    const broken: string[] = [];
    const open = (space: Namespace, limits: Partial<SandboxLimits> = {}) =>
      openShell({
        open: space.open,
        workspace: space.folder,
        scratch: space.folder,
        limits: { ...defaultLimits, ...limits },
        ended: async () => undefined,
        onBroken: (problem) => broken.push(problem),
      });
    before(async () => {
      space = await openNamespace(program);
      shell = await open(space);
    });
    after(async () => {
      shell?.end('the tests are over');
      await space?.kill();
    });
    const run = async (command: Command | Command['argv'], over = shell) => {
      const result = await over.exec('argv' in command ? command : { argv: command }).result;
      return {
        ...result,
        out: `${Buffer.from(result.stdout)}`,
        err: `${Buffer.from(result.stderr)}`,
      };
    };

    it('keeps no more of a file than was asked for, whatever comes from within', async () => {
      const odd = { head: 'exec cat /dev/zero', stat: 'echo much' };
      for (const [name, script] of Object.entries(odd)) {
        // Of its own: a shell ends whatever else it finds in its namespace.
        const own = await openNamespace(program);
        mkdirSync(join(own.folder, 'odd'), { mode: 0o755 });
        writeFileSync(join(own.folder, 'odd', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        try {
          const fooled = await openShell({
            open: own.open,
            workspace: own.folder,
            scratch: own.folder,
            limits: defaultLimits,
            env: { PATH: `${own.folder}/odd:/usr/bin:/bin` },
            ended: async () => undefined,
            onBroken: () => {},
          });
          await assert.rejects(fooled.readFile(`odd/${name}`, { limit: 5 }), (error) =>
            ForgeError.is(error, 'sandbox_failed'),
          );
          fooled.end('the test is over');
        } finally {
          await own.kill();
        }
      }
    });

    it('tells a signal from an exit code that looks like one', async () => {
      assert.deepEqual((await run(['sh', '-c', 'exit 137'])).end, { type: 'exited', code: 137 });
      assert.deepEqual((await run(['sh', '-c', 'kill -9 $$'])).end, {
        type: 'signalled',
        signal: 'SIGKILL',
      });
      assert.deepEqual((await run(['sh', '-c', 'kill -PIPE $$'])).end, {
        type: 'signalled',
        signal: 'SIGPIPE',
      });
    });

    it('gives commands only their own streams and variables', async () => {
      const { out } = await run(['sh', '-c', 'ls /proc/self/fd; env']);
      assert.doesNotMatch(out, /^[4-9]$/m);
      assert.doesNotMatch(out, /_nonce|_key|_line/);
      const odd = { 'odd-name': "a'b\nc", PLAIN: '$(id)\n', IFS: 'x', PATH: '/usr/bin:/bin' };
      const seen = await run({ argv: ['env'], env: odd });
      for (const [name, value] of Object.entries(odd)) {
        if (name !== 'IFS') assert.ok(seen.out.includes(`${name}=${value}`), name);
      }
    });

    it('cannot be fooled by a command that prints marks', async () => {
      const script = 'printf "\\036deadbeef E 0 0\\n"; printf "\\036deadbeef E\\n" >&2; exit 4';
      const { out, exitCode } = await run(['sh', '-c', script]);
      assert.equal(out, '\x1edeadbeef E 0 0\n');
      assert.equal(exitCode, 4);
    });

    it('goes on when a command kills every channel', async () => {
      const killed = await run(['sh', '-c', 'kill -9 -1; kill -9 $$']);
      assert.equal(killed.end.type, 'signalled');
      assert.equal((await run(['echo', 'back'])).out, 'back\n');
      assert.deepEqual(broken, []);
    });

    it('kills what clears its environment and leaves its session', async () => {
      const script =
        'setsid env -i sh -c "while :; do echo late; echo late >&2; sleep 0.01; done" & echo left';
      assert.match((await run(['sh', '-c', script])).out, /^left$/m);
      for (let again = 0; again < 3; again++) {
        const next = await run(['sh', '-c', 'sleep 0.05; echo own; echo own >&2']);
        assert.equal(`${next.out}${next.err}`, 'own\nown\n');
      }
    });

    it('keeps such a one from the results of others while a command goes on', async () => {
      const other = shell.exec({
        argv: ['sh', '-c', 'until [ -e done ]; do sleep 0.02; done; echo fine'],
      });
      const script =
        'setsid env -i sh -c "while :; do echo late; echo late >&2; sleep 0.01; done" & echo left';
      await run(['sh', '-c', script]);
      for (let again = 0; again < 3; again++) {
        const next = await run(['sh', '-c', 'sleep 0.05; echo own; echo own >&2']);
        assert.equal(`${next.out}${next.err}`, 'own\nown\n');
      }
      await shell.writeFile('done', '');
      assert.equal(`${Buffer.from((await other.result).stdout)}`, 'fine\n');
      const { out } = await run(['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']);
      assert.doesNotMatch(out, /echo late; echo late/);
    });

    it('kills no command that is just being started when another ends', async () => {
      const ends = Array.from({ length: 300 }, async () => (await run(['env', 'true'])).exitCode);
      assert.deepEqual([...new Set(await Promise.all(ends))], [0]);
    });

    it('goes on behind input that nobody reads', async () => {
      const stdin = Buffer.alloc(5_000_000, 'line without meaning\n');
      for (const argv of [
        ['true'],
        ['head', '-c', '5'],
        ['sh', '-c', 'exec <&-; sleep 0.05'],
      ] as const) {
        assert.equal((await run({ argv, stdin })).exitCode, 0);
        assert.equal((await run(['echo', 'next'])).out, 'next\n');
      }
    });

    it('takes arguments of a size that does not fit a line', async () => {
      const long = "it's long\n".repeat(10_000);
      assert.equal((await run(['printf', '%s', long])).out, long);
    });

    it('says why a program could not be started', async () => {
      await shell.writeFile('no-interpreter', '#!/no/such/thing\n', { mode: 0o755 });
      await shell.writeFile('plain', 'x');
      for (const [argv, code, words] of [
        [['no such program'], 127, /no program no such program/],
        [['./plain'], 126, /not a program that may be run/],
        [['./no-interpreter'], 127, /no-interpreter/],
        [['true', 'x'.repeat(200_000)], 126, /too long/],
      ] as const) {
        const { end, exitCode } = await run(argv);
        assert.equal(end.type, 'not_started', argv[0]);
        assert.match(end.type === 'not_started' ? end.problem : '', words);
        assert.equal(exitCode, code);
      }
    });

    it('refuses more commands than may wait', async () => {
      const own = await openNamespace(program);
      const narrow = await open(own, { commands: 1 });
      try {
        const first = narrow.exec({ argv: ['sleep', '600'] });
        const waiting = Array.from({ length: 1001 }, () => narrow.exec({ argv: ['true'] }));
        const last = await waiting.at(-1)?.result;
        assert.equal(last?.end.type, 'not_started');
        for (const each of waiting) each.kill();
        assert.equal((await waiting[0]?.result)?.end.type, 'cancelled');
        first.kill();
        await first.result;
        assert.equal((await run(['echo', 'free'], narrow)).out, 'free\n');
      } finally {
        narrow.end('over');
        await own.kill();
      }
    });

    it('ends all commands, also those that wait, when it ends', async () => {
      const space = await openNamespace(program);
      const own = await open(space, { commands: 1 });
      const commands = [own.exec({ argv: ['sleep', '600'] }), own.exec({ argv: ['true'] })];
      await new Promise((resolve) => setImmediate(resolve));
      own.end('the end');
      await space.kill();
      for (const { result } of commands) {
        assert.deepEqual((await result).end, { type: 'sandbox_ended', problem: 'the end' });
      }
      assert.throws(
        () => own.exec({ argv: ['true'] }),
        (error) => ForgeError.is(error, 'not_running'),
      );
    });
  });
}

describe('a place that is no sandbox', () => {
  it('is refused: whatever runs there could be killed', async () => {
    const space = await openNamespace('/bin/sh');
    try {
      const outside = openShell({
        open: space.openOutside,
        workspace: space.folder,
        scratch: space.folder,
        limits: defaultLimits,
        ended: async () => undefined,
        onBroken: () => {},
      });
      await assert.rejects(outside, (error) => ForgeError.is(error, 'sandbox_failed'));
    } finally {
      await space.kill();
    }
  });
});
