import { execFile } from 'node:child_process';
import { close as closeFd, constants, open as openFd } from 'node:fs';
import { chown, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ForgeError } from '@forge/core';
import type { ChannelStreams, OpenStreams } from '../channel/streams.ts';
import { doorScript } from './init-script.ts';

const run = promisify(execFile);
const open = promisify(openFd);
const close = promisify(closeFd);

export interface DoorsOptions {
  /** On the host. Inside it is read-only, so nobody there can put anything else in its place. */
  readonly folder: string;
  /** Who the sandbox runs as on the host, if not as we do. */
  readonly user: number | undefined;
  /** The input of the sandbox's first process, and its answers: the names of doors that are open. */
  readonly input: Writable;
  readonly answers: AsyncIterable<string>;
}

/**
 * Starts processes inside a sandbox that runs already. No descriptor can be handed to it any more,
 * so three named pipes are laid out where its first process finds them, and removed once both sides
 * have them open.
 */
export class Doors {
  readonly #options: DoorsOptions;
  readonly #waiting = new Map<string, () => void>();
  #count = 0;

  constructor(options: DoorsOptions) {
    this.#options = options;
    // Without answers those who wait give up by their signals.
    void this.#listen().catch(() => undefined);
  }

  readonly open: OpenStreams = async ({ argv, signal }) => {
    this.#count += 1;
    const name = `door${this.#count}`;
    const path = join(this.#options.folder, name);
    const files = [`${path}.in`, `${path}.out`, `${path}.err`] as const;
    const opened: number[] = [];
    try {
      await this.#lay(path, files, doorScript({ name, argv }));
      const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
      const hold = async (file: string, flags: number) => {
        const fd = await open(file, flags | O_NONBLOCK);
        opened.push(fd);
        return fd;
      };
      // Opened for both: without a reader the pipe could not be opened for writing.
      const both = await hold(files[0], O_RDWR);
      const input = await hold(files[0], O_WRONLY);
      const output = await hold(files[1], O_RDONLY);
      const errors = await hold(files[2], O_RDONLY);
      await this.#answer(name, signal);
      opened.splice(0);
      await close(both);
      return streamsOf(input, output, errors);
    } finally {
      for (const fd of opened) await close(fd);
      await Promise.all([path, ...files].map((file) => rm(file, { force: true })));
    }
  };

  async #lay(script: string, pipes: readonly string[], text: string): Promise<void> {
    const { user } = this.#options;
    await Promise.all([
      run('mkfifo', ['-m', '600', ...pipes]),
      writeFile(script, text, { mode: 0o600 }),
    ]);
    if (user === undefined) return;
    for (const file of [script, ...pipes]) await chown(file, user, user);
  }

  /** Asks the first process for it, and waits until it stands open on the other side too. */
  async #answer(name: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () =>
      reject(new ForgeError('sandbox_failed', 'No process could be started in the sandbox.'));
    this.#waiting.set(name, resolve);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else this.#options.input.write(`${name}\n`);
    try {
      await promise;
    } finally {
      this.#waiting.delete(name);
      signal.removeEventListener('abort', abort);
    }
  }

  async #listen(): Promise<void> {
    for await (const line of this.#options.answers) this.#waiting.get(line)?.();
  }
}

function streamsOf(input: number, output: number, errors: number): ChannelStreams {
  const stdin: Writable = new Socket({ fd: input, readable: false, writable: true });
  const stdout: Readable = new Socket({ fd: output, readable: true, writable: false });
  const stderr: Readable = new Socket({ fd: errors, readable: true, writable: false });
  return {
    stdin,
    stdout,
    stderr,
    close: () => {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}
