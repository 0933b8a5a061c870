import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { ForgeError, messageOf } from '@forge/core';
import { checkCommand } from '../checks/check-command.ts';
import type {
  ByteRange,
  Command,
  ExecOptions,
  Execution,
  FileContent,
  WriteOptions,
} from '../sandbox.ts';
import { Channel } from './channel.ts';
import { type Ground, runCommand } from './command-run.ts';
import { Control } from './control.ts';
import { Crew } from './crew.ts';
import { copyIn, copyOut, readFile, writeFile } from './files.ts';
import { Lanes } from './lanes.ts';
import { OutputLog } from './output-log.ts';
import type { Shell, ShellOptions } from './shell-contract.ts';

export type { Shell, ShellOptions } from './shell-contract.ts';

/** Places for each kind of work on files. */
const fileLanes = 2;

/** How long a channel may take to open. */
const openMs = 30_000;

/**
 * Opens the control channel and the first for commands. Fails as `open` does, or with
 * `sandbox_failed` where there is no shell inside.
 */
export async function openShell(options: ShellOptions): Promise<Shell> {
  const shell = new ChannelShell(options);
  try {
    await shell.open(options.signal);
    return shell;
  } catch (error) {
    shell.end(messageOf(error));
    throw error;
  }
}

class ChannelShell implements Shell {
  readonly #options: ShellOptions;
  readonly #ended = new AbortController();
  readonly #crew: Crew;
  readonly #lanes: Lanes;
  readonly #ground: Ground;
  /** Files move while commands take all the places; what is copied out may be copied in again. */
  readonly #files: Ground;
  readonly #unpacking: Ground;
  readonly #packing: Ground;
  readonly #nonce: () => string;
  readonly #running = new Set<Promise<unknown>>();
  #control: Promise<Control> | undefined;
  #kills = 0;

  constructor(options: ShellOptions) {
    const { clock = () => performance.now(), nonce = () => randomBytes(16).toString('hex') } =
      options;
    this.#options = options;
    this.#nonce = nonce;
    this.#crew = new Crew(clock);
    this.#lanes = new Lanes(options.limits.commands, (signal) => this.#channel(signal));
    this.#ground = {
      lanes: this.#lanes,
      crew: this.#crew,
      control: () => this.#controlled(),
      limits: options.limits,
      workspace: options.workspace,
      env: options.env ?? {},
      clock,
      nonce,
      memoryKills: () => this.#memoryKilled(),
      ended: async () => this.#problem() ?? (await options.ended()) ?? this.#problem(),
    };
    this.#files = this.#withLanes(fileLanes);
    this.#unpacking = this.#withLanes(fileLanes);
    this.#packing = this.#withLanes(fileLanes);
  }

  async open(signal: AbortSignal = this.#ended.signal): Promise<void> {
    const [control, first] = await Promise.allSettled([
      this.#controlled(),
      this.#lanes.take(signal),
    ]);
    if (first.status === 'fulfilled') this.#lanes.give(first.value);
    for (const opened of [control, first]) if (opened.status === 'rejected') throw opened.reason;
    await this.#memoryKilled();
  }

  exec(command: Command, { signal }: ExecOptions = {}): Execution {
    this.#mustRun();
    checkCommand(command);
    const killed = new AbortController();
    const log = new OutputLog(this.#options.limits.outputBytes);
    const { stdin, ...rest } = command;
    const ran = runCommand(this.#ground, {
      command: rest,
      ...(stdin === undefined || stdin.length === 0 ? {} : { input: once(stdin) }),
      onData: (stream, bytes) => log.append(stream, bytes),
      cancel: signal === undefined ? killed.signal : AbortSignal.any([signal, killed.signal]),
    });
    const result = this.#track(ran).then((end) => {
      log.finish();
      const [stdout, stderr] = [log.bytes('stdout'), log.bytes('stderr')];
      return { ...end, stdout, stderr, dropped: log.dropped };
    });
    return { output: log, result, kill: () => killed.abort() };
  }

  async readFile(path: string, range?: ByteRange): Promise<FileContent> {
    this.#mustRun();
    return this.#track(readFile(this.#files, path, range));
  }

  async writeFile(
    path: string,
    content: Uint8Array | string,
    options: WriteOptions = {},
  ): Promise<void> {
    this.#mustRun();
    return this.#track(writeFile(this.#files, path, { ...options, content }));
  }

  async copyIn(folder: string, tar: Readable): Promise<void> {
    this.#mustRun();
    return this.#track(copyIn(this.#unpacking, folder, tar));
  }

  async copyOut(path: string): Promise<Readable> {
    this.#mustRun();
    return this.#track(copyOut(this.#packing, path));
  }

  async settle(graceMs: number): Promise<void> {
    if (this.#ended.signal.aborted || this.#running.size === 0 || graceMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    try {
      const control = await this.#controlled();
      for (const session of this.#crew.sessions()) control.terminate(session);
      await Promise.race([promise, Promise.allSettled(this.#running)]);
    } catch {
      // Nothing answers inside: there is nobody to be asked to end.
    } finally {
      clearTimeout(timer);
    }
  }

  end(problem: string): void {
    if (this.#ended.signal.aborted) return;
    const reason = new ForgeError('not_running', problem);
    this.#ended.abort(reason);
    this.#lanes.end(reason);
  }

  #withLanes(most: number): Ground {
    const lanes = new Lanes(most, (signal) => this.#channel(signal));
    const end = () => lanes.end(this.#ended.signal.reason);
    this.#ended.signal.addEventListener('abort', end, { once: true });
    return { ...this.#ground, lanes };
  }

  #problem(): string | undefined {
    const { reason } = this.#ended.signal;
    return reason === undefined ? undefined : messageOf(reason);
  }

  #mustRun(): void {
    const problem = this.#problem();
    if (problem !== undefined) throw new ForgeError('not_running', problem);
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#running.add(work);
    const done = () => this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  /** The control channel; opened anew if a command has killed it. */
  #controlled(): Promise<Control> {
    this.#control ??= this.#openControl();
    return this.#control;
  }

  async #openControl(): Promise<Control> {
    try {
      // When we are gone, what runs inside has nobody left.
      const channel = await this.#crew.open(() => this.#open(this.#ended.signal, 'kill -9 -1'));
      channel.onClose(() => {
        this.#control = undefined;
      });
      return new Control(channel, this.#nonce);
    } catch (error) {
      this.#control = undefined;
      if (!this.#ended.signal.aborted) this.#options.onBroken(messageOf(error));
      throw error;
    }
  }

  #channel(signal: AbortSignal): Promise<Channel> {
    return this.#crew.admit(() => this.#open(signal));
  }

  async #open(signal: AbortSignal, last?: string): Promise<Channel> {
    const { open, scratch } = this.#options;
    const late = AbortSignal.timeout(openMs);
    const channel = await Channel.open({
      open,
      scratch,
      nonce: this.#nonce,
      hostNamespace: hostNamespace(),
      ...(last === undefined ? {} : { last }),
      signal: AbortSignal.any([signal, this.#ended.signal, late]),
    });
    if (this.#ended.signal.aborted) channel.close();
    else {
      const close = () => channel.close();
      this.#ended.signal.addEventListener('abort', close, { once: true });
      channel.onClose(() => this.#ended.signal.removeEventListener('abort', close));
    }
    return channel;
  }

  /** Whether the kernel has killed for want of memory since it was last asked. */
  async #memoryKilled(): Promise<boolean> {
    const { memoryKills = async () => (await this.#controlled()).memoryKills() } = this.#options;
    const count = (await memoryKills().catch(() => undefined)) ?? this.#kills;
    const more = count > this.#kills;
    this.#kills = count;
    return more;
  }
}

async function* once(stdin: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof stdin === 'string' ? Buffer.from(stdin) : stdin;
}

function hostNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'none'; // No Linux here: what runs inside has a kernel of its own.
  }
}
