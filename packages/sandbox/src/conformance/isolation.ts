import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type ConformanceSetup, run, sh, token, useBench } from './kit.ts';

/** What commands may see and touch, in the backends that keep the host from them. */
export function isolationConformance(setup: ConformanceSetup): void {
  const skip = !setup.traits.isolated || !setup.traits.processes;
  describe('isolation', { skip }, () => {
    const bench = useBench(setup);

    it('shows no variable of the host in any process', async () => {
      const script =
        'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | cut -d= -f1 | sort -u';
      const names = (await sh(bench().sandbox, script)).split('\n').filter((name) => name !== '');
      const known = /^(?:PATH|HOME|LANG|PWD|OLDPWD|SHLVL|_|HOSTNAME|TMPDIR|TERM|FORGE_\w+)$/;
      assert.deepEqual(
        names.filter((name) => !known.test(name)),
        [],
      );
    });

    it('shows no file and no home of the host', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'forge-host-'));
      try {
        writeFileSync(join(folder, 'secret'), 'x');
        const paths = [
          folder,
          homedir(),
          import.meta.dirname,
          '/var/run/docker.sock',
          '/run/docker.sock',
        ];
        for (const path of paths) {
          const { out } = await run(bench().sandbox, [
            'sh',
            '-c',
            'ls -A "$1" 2>/dev/null',
            'sh',
            path,
          ]);
          assert.doesNotMatch(out, /secret|\.ssh|\.bash|isolation|docker\.sock/, path);
        }
        const { exitCode } = await run(bench().sandbox, ['cat', '/etc/shadow']);
        assert.notEqual(exitCode, 0);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    it('shows no process of the host', async () => {
      const { sandbox } = bench();
      const pids = (await sh(sandbox, 'cd /proc; ls -d [0-9]*')).trim().split('\n');
      assert.equal(pids.includes(String(process.pid)) && process.pid > 1000, false);
      assert.notEqual((await run(sandbox, ['kill', '-0', String(process.pid)])).exitCode, 0);
    });

    it('does not run as root, and can become nobody else', async () => {
      const { sandbox } = bench();
      const status = await sh(sandbox, 'cat /proc/self/status');
      assert.doesNotMatch(status, /^Uid:\s+0\b/m);
      assert.match(status, /^CapEff:\s+0+$/m);
      assert.match(status, /^CapBnd:\s+0+$/m);
      assert.match(status, /^NoNewPrivs:\s+1$/m);
      assert.match(status, /^Seccomp:\s+2$/m);
    });

    it('lets nothing be written outside of its own folders', async () => {
      const { sandbox } = bench();
      for (const path of [
        '/usr/x',
        '/bin/x',
        '/etc/x',
        '/x',
        '/dev/x',
        '/proc/sys/kernel/hostname',
        '/proc/sysrq-trigger',
        '/proc/sys/vm/overcommit_memory',
      ]) {
        const { exitCode } = await run(sandbox, ['sh', '-c', 'echo 0 > "$1"', 'sh', path]);
        assert.notEqual(exitCode, 0, path);
      }
      for (const folder of [sandbox.workspace, '/tmp'])
        await sh(sandbox, 'echo x > "$1/x"; rm "$1/x"', folder);
    });

    it('reaches no network, the machine’s own neither', async () => {
      const mark = token();
      const server = createServer((socket) => socket.end(mark));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const address = server.address();
        assert.ok(typeof address === 'object' && address !== null);
        const interfaces = await sh(
          bench().sandbox,
          'cat /proc/net/dev | tail -n +3 | cut -d: -f1',
        );
        assert.match(interfaces.replaceAll(' ', ''), /^(?:lo\n)?$/);
        const routes = await sh(bench().sandbox, 'tail -n +2 /proc/net/route');
        assert.equal(routes, '');
      } finally {
        server.close();
      }
    });
  });
}
