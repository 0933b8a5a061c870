import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { sandboxConformance } from '../conformance/sandbox-conformance.ts';
import type { Sandbox } from '../sandbox.ts';
import { createBubblewrapBackend } from './create-bubblewrap-backend.ts';

process.env.FORGE_TEST_SECRET = 'must not be seen';

const probe = await createBubblewrapBackend().probe();
const limitsMemory =
  probe.available && !probe.cannot.some((line) => line.startsWith('memory is limited for each'));

sandboxConformance({
  name: 'bubblewrap',
  make: async () => createBubblewrapBackend(),
  traits: {
    processes: true,
    isolated: true,
    holds: limitsMemory ? ['memory', 'pids', 'disk'] : ['pids', 'disk'],
  },
  owner: {
    module: new URL('./create-bubblewrap-backend.ts', import.meta.url).href,
    make: 'createBubblewrapBackend',
  },
});

describe('bubblewrap backend', () => {
  const backend = createBubblewrapBackend();
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await backend.start();
  });
  after(() => backend.close());

  async function sh(script: string, own: Sandbox = sandbox): Promise<string> {
    const { stdout, stderr } = await own.exec({ argv: ['sh', '-c', script] }).result;
    return Buffer.concat([stdout, stderr]).toString();
  }

  it('gets no descriptor that we were started with', async () => {
    const script = `
      const { createBubblewrapBackend } = await import(process.argv[1]);
      const backend = createBubblewrapBackend();
      const sandbox = await backend.start();
      const { stdout } = await sandbox.exec({ argv: ['readlink', '-v', '/proc/self/fd/200'] }).result;
      process.stdout.write(stdout);
      await backend.close();`;
    const module = new URL('./create-bubblewrap-backend.ts', import.meta.url).href;
    const args = ['--input-type=module', '-e', script, module];
    const stdio = Array.from({ length: 201 }, (_, fd) =>
      fd < 3 || fd === 200 ? 'pipe' : 'ignore',
    );
    const child = spawn(process.execPath, args, { stdio: stdio as ('pipe' | 'ignore')[] });
    const [said] = await Promise.all([
      text(child.stdout ?? Readable.from([])),
      once(child, 'exit'),
    ]);
    assert.match(said, /^(?:\/dev\/null\n)?$/);
  });

  it('shows no variable of a sandbox to the other users of this machine', async () => {
    const value = `v${process.pid}-only-inside`;
    const own = await backend.start({ env: { OWN_SECRET: value } });
    try {
      assert.equal(await sh('printf %s "$OWN_SECRET"', own), value);
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        let line = '';
        try {
          line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          // It has ended.
        }
        assert.ok(!line.includes(value), line);
      }
    } finally {
      await own.stop();
    }
  });

  it('says what it is and what it cannot hold', async () => {
    const probe = await backend.probe();
    assert.ok(probe.available);
    assert.match(probe.version, /^bubblewrap \d/);
    assert.deepEqual(
      (await backend.list()).map(({ id }) => id),
      [sandbox.id],
    );
  });

  it('says what to install where there is no bwrap', async () => {
    const none = createBubblewrapBackend({ program: '/no/such/bwrap' });
    const probe = await none.probe();
    assert.ok(!probe.available && /apt install bubblewrap/.test(probe.fix));
    await assert.rejects(none.start(), (error) => ForgeError.is(error, 'sandbox_failed'));
  });

  it('refuses system calls that lead out', async () => {
    // perl is there wherever git is; numbers are those of x64 and arm64, see denied-syscalls.ts.
    const call = (number: number, args: string) =>
      sh(`perl -e 'my $r = syscall(${number}, ${args}); print $r < 0 ? 0 + $! : "allowed"'`);
    const numbers = {
      x64: { ptrace: 101, unshare: 272, socket: 41 },
      arm64: { ptrace: 117, unshare: 97, socket: 198 },
    };
    const { ptrace, unshare, socket } = process.arch === 'arm64' ? numbers.arm64 : numbers.x64;
    const [EPERM, ENOSYS, EAFNOSUPPORT] = ['1', '38', '97'];
    assert.equal(await call(425, '1, 0'), EPERM, 'io_uring_setup');
    assert.equal(await call(unshare, '0x10000000'), EPERM, 'a user namespace');
    assert.equal(await call(ptrace, '16, 1, 0, 0'), EPERM, 'ptrace');
    assert.equal(await call(435, '0, 0'), ENOSYS, 'clone3');
    assert.equal(await call(socket, '40, 1, 0'), EAFNOSUPPORT, 'vsock');
    assert.equal(await call(999, '0'), ENOSYS, 'a call of the future');
    assert.equal(await call(socket, '1, 1, 0'), 'allowed', 'a unix socket');
    assert.match(
      await sh('unshare -r true; mount -t tmpfs none /tmp; echo done'),
      /unshare failed[\s\S]*mount: /,
    );
  });

  it('runs as nobody of this machine, not as root with another name', {
    skip: process.getuid?.() !== 0,
  }, async () => {
    const execution = sandbox.exec({ argv: ['sh', '-c', 'sleep 600 # a-sleeper-of-the-test'] });
    try {
      const uid = await eventually(() => {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
          const line = readOrNothing(`/proc/${pid}/cmdline`);
          if (!line.includes('a-sleeper-of-the-test')) continue;
          return /^Uid:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1];
        }
        return undefined;
      });
      assert.equal(uid, '65534');
    } finally {
      execution.kill();
      await execution.result;
    }
  });

  it('shows no keys, symbols or memory of the machine', async () => {
    for (const name of ['kcore', 'kallsyms', 'keys', 'timer_list', 'kmsg']) {
      assert.doesNotMatch(await sh(`head -c 100 /proc/${name}`), /^[^h]/, name);
    }
    assert.match(
      await sh('ls /sys /root /home /var /boot'),
      /cannot access '\/sys'[\s\S]*'\/root'[\s\S]*'\/home'[\s\S]*'\/var'/,
    );
  });

  it('takes leave of the dead, however many there are', async () => {
    const own = await backend.start({ limits: { pids: 40 } });
    const script =
      'i=0; while [ $i -lt 300 ]; do (sh -c "true &" &); i=$((i+1)); sleep 0.01; done; echo all';
    assert.equal(await sh(script, own), 'all\n');
    assert.equal(await sh('echo fine', own), 'fine\n');
    await own.stop();
  });

  it('has failed when it is killed from outside', async () => {
    const own = await backend.start();
    const execution = own.exec({ argv: ['sleep', '600'] });
    // Its arguments name the folder of the sandbox, and that its id.
    const pid = readdirSync('/proc').find((name) => {
      const line = readOrNothing(`/proc/${name}/cmdline`);
      return line.includes('bwrap') && line.includes(own.id);
    });
    process.kill(Number(pid), 'SIGKILL');
    assert.equal((await execution.result).end.type, 'sandbox_ended');
    await own.stop();
    assert.equal(own.state(), 'failed');
    assert.equal(
      readdirSync(tmpdir()).some((name) => name.includes(own.id)),
      false,
    );
  });

  it('shows what it is told to show, and nothing beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forge-expose-'));
    chmodSync(folder, 0o755);
    const own = createBubblewrapBackend({ expose: [folder] });
    try {
      writeFileSync(join(folder, 'tool'), 'x', { mode: 0o644 });
      const exposed = await own.start();
      assert.equal(
        await sh(`cat ${folder}/tool; (echo y > ${folder}/tool) 2>/dev/null || echo kept`, exposed),
        'xkept\n',
      );
      assert.equal(await sh(`ls ${tmpdir()} | grep -c forge-expose`, exposed), '1\n');
    } finally {
      await own.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has the whole network only if that is said', async () => {
    const own = await backend.start({ network: { type: 'full' } });
    const host = `${readlinkSync('/proc/self/ns/net')}\n`;
    assert.equal(await sh('readlink /proc/self/ns/net', own), host);
    assert.notEqual(await sh('readlink /proc/self/ns/net'), host);
    await own.stop();
  });

  it('reaches allowed hosts and no others', { skip: process.getuid?.() !== 0 }, async () => {
    const server = createServer((_request, response) => response.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const host = `127.0.0.1:${address.port}`;
      const own = await backend.start({ network: { type: 'allow', hosts: [host] } });
      // Not by curl: the machine need not have it. The proxy speaks to whoever asks it.
      const ask = (target: string) =>
        sh(
          `perl -MIO::Socket::INET -e '
            my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:3128") or die "no proxy";
            print $s "GET http://${target}/ HTTP/1.1\\r\\nHost: ${target}\\r\\nConnection: close\\r\\n\\r\\n";
            print while <$s>;'`,
          own,
        );
      assert.match(await ask(host), /200 OK[\s\S]*hello/);
      assert.match(await ask('other.example:80'), /^HTTP\/1\.1 403/);
      assert.match(await sh('env', own), /^HTTPS_PROXY=http:\/\/127\.0\.0\.1:3128$/m);
      assert.ok(((await own.stats()).network?.receivedBytes ?? 0) > 0);
      await own.stop();
    } finally {
      server.close();
    }
  });
});

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It ended while we looked.
  }
}

async function eventually<Found>(look: () => Found | undefined): Promise<Found> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail('it was never there');
}
