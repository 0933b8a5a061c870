import { ForgeError, messageOf } from '@forge/core';
import { checkVariables } from '../checks/check-command.ts';
import { resolveLimits } from '../checks/resolve-limits.ts';
import type { Availability, SandboxBackend, SandboxOptions } from '../sandbox.ts';
import { loadJustBash } from './load-just-bash.ts';
import { MemoryFiles, workspace } from './memory-files.ts';
import { MemorySandbox } from './memory-sandbox.ts';
import { Shells } from './shells.ts';

export interface MemoryBackendOptions {
  readonly now?: () => number;
}

const cannot = [
  'no real processes: a shell and its usual commands are played in memory, with no signals and no background jobs',
  'no limit of memory, cores or processes of its own: it shares those of this program',
  'output comes when a command has ended, not while it runs',
];

/**
 * Sandboxes in memory, for tests and for scripts that need no programs: a bash that is played by
 * the package `just-bash`, with files that are nowhere on disk.
 *
 * Its commands run in threads of their own, so none can hold this program up, and a timeout ends
 * it for good. There is no network and no image.
 */
export function createMemoryBackend({ now = Date.now }: MemoryBackendOptions = {}): SandboxBackend {
  const shells = new Shells();
  const sandboxes = new Set<MemorySandbox>();
  let closed: Promise<void> | undefined;

  async function start(options: SandboxOptions = {}): Promise<MemorySandbox> {
    const limits = resolveLimits(options.limits);
    const env = { ...options.env };
    checkVariables(env);
    if (options.network !== undefined && options.network.type !== 'none') {
      throw new ForgeError('invalid_options', 'A sandbox in memory has no network. Leave it out.');
    }
    const { Bash, InMemoryFs } = await loadJustBash();
    if (options.signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
    if (closed !== undefined) throw new ForgeError('not_running', 'This backend is closed.');
    const fs = new InMemoryFs({}, { maxTotalBytes: limits.diskBytes });
    new Bash({ fs, cwd: workspace }); // Puts the programs and folders of a system into it.
    const files = new MemoryFiles(fs);
    for (const folder of [workspace, '/tmp']) await files.makeFolder(folder);
    for (const folder of ['/bin', '/usr/bin']) {
      for (const name of await fs.readdir(folder)) await fs.chmod(`${folder}/${name}`, 0o755);
    }
    const labels = { ...options.labels };
    const onEnd = () => void sandboxes.delete(sandbox);
    const sandbox = new MemorySandbox({ files, shells, limits, env, labels, now, onEnd });
    sandboxes.add(sandbox);
    return sandbox;
  }

  return {
    name: 'memory',
    start,
    async probe(): Promise<Availability> {
      try {
        await loadJustBash();
        return { available: true, version: 'just-bash', cannot };
      } catch (error) {
        const fix = 'npm install just-bash';
        return { available: false, problem: messageOf(error), fix };
      }
    },
    async list() {
      return [...sandboxes].map((sandbox) => sandbox.info());
    },
    async reap() {
      return []; // Nothing of it outlives its process.
    },
    close() {
      closed ??= (async () => {
        await Promise.all([...sandboxes].map((sandbox) => sandbox.stop()));
        await shells.close();
      })();
      return closed;
    },
  };
}
