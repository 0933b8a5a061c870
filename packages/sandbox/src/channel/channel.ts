import { ForgeError } from '@forge/core';
import type { OutputChunk } from '../sandbox.ts';
import { loopScript } from './loop.ts';
import { MarkReader } from './mark-reader.ts';
import { quote } from './quote.ts';
import type { ChannelStreams, OpenStreams } from './streams.ts';

type StreamName = OutputChunk['stream'];

/** Who hears what comes back while a line is carried out. */
export interface Listener {
  readonly nonce: string;
  mark(stream: StreamName, words: readonly string[]): void;
  data?(stream: StreamName, bytes: Buffer): void;
  /** The channel has ended; nothing more comes. */
  closed(): void;
}

export interface ChannelOptions {
  readonly open: OpenStreams;
  readonly scratch: string;
  readonly nonce: () => string;
  /** The host's process namespace, see `loop.ts`. */
  readonly hostNamespace: string;
  /** What the loop does when its input ends. */
  readonly last?: string;
  readonly signal: AbortSignal;
}

/** The loop reads lines byte by byte; what is longer is fetched in one piece. */
const longestLine = 4096;

/**
 * One loop inside, one listener at a time. It knows nothing of commands: lines go in, marks and
 * data come out.
 */
export class Channel {
  readonly #streams: ChannelStreams;
  readonly #readers: Readonly<Record<StreamName, MarkReader>>;
  readonly #key: string;
  #hello: Hello = { pid: 0, neighbours: [] };
  #listener: Listener | undefined;
  #closed = false;
  readonly #closing: (() => void)[] = [];

  private constructor(streams: ChannelStreams, key: string) {
    this.#streams = streams;
    this.#key = key;
    const reader = (stream: StreamName) =>
      new MarkReader(key, {
        data: (bytes) => this.#listener?.data?.(stream, bytes),
        mark: (words) => this.#listener?.mark(stream, words),
      });
    this.#readers = { stdout: reader('stdout'), stderr: reader('stderr') };
    const close = () => this.close();
    let open = 2;
    for (const name of ['stdout', 'stderr'] as const) {
      streams[name].on('data', (chunk: Buffer) => this.#readers[name].push(chunk));
      streams[name].on('error', close);
      // The other stream may still hold what was printed last.
      streams[name].on('close', () => --open === 0 && close());
    }
    streams.stdin.on('error', close);
  }

  /** Starts a loop inside and waits for its first word. */
  static async open(options: ChannelOptions): Promise<Channel> {
    const { open, scratch, nonce, hostNamespace, last, signal } = options;
    const key = nonce();
    const argv = ['sh', '-c', loopScript, 'forge', scratch, key, hostNamespace];
    const channel = new Channel(await open({ argv, signal }), key);
    await channel.#greet(signal);
    if (last !== undefined) channel.send(`_last=${quote(last)}`);
    return channel;
  }

  /** Of the loop, as processes inside see it. */
  get pid(): number {
    return this.#hello.pid;
  }

  /** All processes there were when it opened. */
  get neighbours(): readonly number[] {
    return this.#hello.neighbours;
  }

  get closed(): boolean {
    return this.#closed;
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closing.push(listener);
  }

  /** Takes the channel for one exchange; the one before must have been let go. */
  listen(listener: Listener): void {
    if (this.#listener !== undefined) throw new Error('two listeners on one channel');
    if (this.#closed) {
      listener.closed();
      return;
    }
    this.#listener = listener;
    this.#readers.stdout.expect(listener.nonce);
    this.#readers.stderr.expect(listener.nonce);
  }

  release(): void {
    this.#listener = undefined;
  }

  send(line: string): void {
    const bytes = Buffer.from(line);
    const whole = bytes.length <= longestLine;
    const fetch = `eval "$(head -c ${bytes.length} <&3)"`;
    this.write(`${this.#key} ${whole ? line : fetch}\n`);
    if (!whole) this.write(bytes);
  }

  /** Bytes as they are: payloads, and the newline that ends what is left of one. */
  write(bytes: string | Uint8Array): void {
    if (!this.#closed) this.#streams.stdin.write(bytes);
  }

  pause(): void {
    this.#streams.stdout.pause();
  }

  resume(): void {
    this.#streams.stdout.resume();
  }

  close(): void {
    this.#streams.close();
    this.#end();
  }

  async #greet(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<Hello>();
    const abort = () => this.close();
    this.listen({
      nonce: this.#key,
      mark: (_stream, [letter, pid, ...entries]) => {
        if (letter === 'H') resolve({ pid: Number(pid), neighbours: pidsOf(entries) });
      },
      closed: () => reject(new ForgeError('sandbox_failed', notOpened, { cause: signal.reason })),
    });
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      this.#hello = await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.release();
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#readers.stdout.end();
    this.#readers.stderr.end();
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed();
    for (const each of this.#closing.splice(0)) each();
  }
}

const notOpened =
  'No shell could be opened in the sandbox. Its image needs sh, setsid, head and readlink.';

interface Hello {
  readonly pid: number;
  readonly neighbours: readonly number[];
}

/** `/proc/12` or `12`, as the loop lists processes. */
export function pidsOf(entries: readonly string[]): number[] {
  return entries.map((entry) => Number(entry.replace('/proc/', ''))).filter(Number.isSafeInteger);
}
