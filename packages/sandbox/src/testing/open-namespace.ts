import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChannelStreams, OpenStreams } from '../channel/streams.ts';

export interface Namespace {
  readonly open: OpenStreams;
  /** The same in this machine's own namespace. */
  readonly openOutside: OpenStreams;
  readonly folder: string;
  /** Ends all in it, as a machine that loses power. */
  kill(): Promise<void>;
}

/**
 * A process namespace of its own on this machine and nothing else of a sandbox, for the tests of
 * channels. Needs root. `shell` is the `sh` inside, such as `dash`.
 */
export async function openNamespace(shell: string): Promise<Namespace> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-channel-'));
  // It has no children to wait for, and the kernel buries those of others.
  const init = `trap '' CHLD; echo up; exec sleep 600`;
  const args = ['--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', init];
  const root = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  const [first] = await once(root.stdout, 'data');
  if (String(first) !== 'up\n') throw new Error('no namespace could be made');
  return {
    folder,
    openOutside: async ({ argv }) => streamsOf(spawn('sh', argv.slice(1), { env: clean })),
    open: ({ argv }) => enter(`${root.pid}`, [shell, ...argv.slice(1)], clean),
    kill: async () => {
      const exited =
        root.exitCode !== null || root.signalCode !== null ? undefined : once(root, 'exit');
      root.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    },
  };
}

const clean = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };

async function enter(
  pid: string,
  argv: readonly string[],
  env: Record<string, string>,
): Promise<ChannelStreams> {
  // unshare itself stays outside of the namespace it made for its child.
  const args = [
    '--target',
    pid,
    '--mount',
    `--pid=/proc/${pid}/ns/pid_for_children`,
    '--',
    ...argv,
  ];
  return streamsOf(spawn('nsenter', args, { env }));
}

function streamsOf(child: ChildProcess): ChannelStreams {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no streams');
  return {
    stdin,
    stdout,
    stderr,
    close: () => {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}
