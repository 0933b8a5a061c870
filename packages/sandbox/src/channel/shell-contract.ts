import type { Readable } from 'node:stream';
import type {
  ByteRange,
  Command,
  ExecOptions,
  Execution,
  FileContent,
  SandboxLimits,
  WriteOptions,
} from '../sandbox.ts';
import type { OpenStreams } from './streams.ts';

export interface ShellOptions {
  /** Called for each channel: one for control at the start, one more for each command at once. */
  readonly open: OpenStreams;
  /** Inside: where commands run and relative paths begin. */
  readonly workspace: string;
  /** Inside: a folder commands may write to, for a few bytes per channel. */
  readonly scratch: string;
  readonly limits: SandboxLimits;
  /** For every command, on top of what `open` gives. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * How many processes the kernel has killed for want of memory so far. Default: asked inside, in
   * the cgroup's own files; undefined where they cannot be read.
   */
  readonly memoryKills?: () => Promise<number | undefined>;
  /**
   * The problem, if the sandbox has ended by now, also by itself; undefined while it runs. Asked
   * when a channel ends unexpectedly: a command may have killed it, or the sandbox is gone.
   */
  readonly ended: () => Promise<string | undefined>;
  /**
   * Called once if the shell cannot be used any more while the sandbox should still run: nothing
   * inside answers, no channel can be opened. The backend ends the sandbox.
   */
  readonly onBroken: (problem: string) => void;
  /** Milliseconds of a clock that never goes back. Default `performance.now`. */
  readonly clock?: () => number;
  /** A fresh unguessable word of letters and digits. Default: from `node:crypto`. */
  readonly nonce?: () => string;
  /** For the opening alone. */
  readonly signal?: AbortSignal;
}

/**
 * Commands and files of a sandbox over channels: shells kept open inside, so that a command costs
 * a round trip and not a start. A backend opens the streams, watches over the sandbox's life, and
 * calls `end` when it is over.
 */
export interface Shell {
  exec(command: Command, options?: ExecOptions): Execution;
  readFile(path: string, range?: ByteRange): Promise<FileContent>;
  writeFile(path: string, content: Uint8Array | string, options?: WriteOptions): Promise<void>;
  copyIn(folder: string, tar: Readable): Promise<void>;
  copyOut(path: string): Promise<Readable>;
  /** Asks all commands to end (SIGTERM) and waits for them, at most so long. */
  settle(graceMs: number): Promise<void>;
  /**
   * Closes every channel. Commands under way end with `sandbox_ended` and this problem; later ones
   * are refused with `not_running`. Called before the sandbox is killed: a reader that stalls must
   * not hold up the kill.
   */
  end(problem: string): void;
}
