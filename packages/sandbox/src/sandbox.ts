import type { Readable } from 'node:stream';

/**
 * A place where commands run that must not harm. Every backend behaves alike: the suite in
 * `conformance/` says how.
 *
 * A sandbox has one folder of its own, the workspace. Paths given here are relative to it, or
 * absolute inside the sandbox. Files move only through these methods: they look at the sandbox from
 * within, so a link planted in the workspace leads nowhere on the host.
 */
export interface Sandbox {
  readonly id: string;
  readonly backend: BackendName;
  /** The workspace's path as commands inside see it. */
  readonly workspace: string;
  readonly limits: SandboxLimits;
  state(): SandboxState;

  /**
   * Starts a command. `not_running` once the sandbox has ended, `invalid_options` for a command
   * that could never run. What the command does wrong is in its result, never an exception.
   */
  exec(command: Command, options?: ExecOptions): Execution;

  /** `not_found`, `not_a_file`, `too_large` (over `limit`) are ForgeErrors. */
  readFile(path: string, range?: ByteRange): Promise<FileContent>;
  /** Whole or not at all: written beside the file, then renamed over it. Makes parent folders. */
  writeFile(path: string, content: Uint8Array | string, options?: WriteOptions): Promise<void>;

  /**
   * Unpacks a tar stream into a folder, which is made if need be. Entries that would land outside
   * it, devices and pipes are refused (`not_allowed`), see `safeTar`.
   */
  copyIn(folder: string, tar: Readable): Promise<void>;
  /**
   * A folder or file as a tar stream: links stay links, nothing outside is followed. Names are
   * relative to the folder, so that `copyIn` of it makes the same folder; a file has its own name.
   */
  copyOut(path: string): Promise<Readable>;

  stats(): Promise<SandboxStats>;

  /**
   * Ends everything in it and removes it. Kills after the grace (default 0, at once). A second call
   * waits for the first. Never rejects because it was gone already.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

export type BackendName = 'docker' | 'bubblewrap' | 'process' | 'memory' | 'remote';

/** `failed`: it ended by itself, such as a container that was removed from outside. */
export type SandboxState = 'running' | 'stopped' | 'failed';

export interface Command {
  /** The program and its arguments; no shell. For a shell: `['sh', '-c', script]`. */
  readonly argv: readonly [string, ...string[]];
  /** Default: the workspace. */
  readonly cwd?: string;
  /** Added to the sandbox's own environment, which holds nothing of the host's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Milliseconds until it is killed with all it started. Default and maximum: `limits.timeMs`. */
  readonly timeoutMs?: number;
}

export interface ExecOptions {
  /** Kills the command and all it started. */
  readonly signal?: AbortSignal;
}

/** A command under way. */
export interface Execution {
  /**
   * What it prints, in order for each stream, as it comes. May be read once, or not at all. A
   * reader that stalls slows the command down and delays nothing else, least of all its end by
   * timeout or `kill`. Bytes past `limits.outputBytes` are dropped.
   */
  readonly output: AsyncIterable<OutputChunk>;
  /** Never rejects. */
  readonly result: Promise<ExecResult>;
  /** Kills it and all it started. Safe to call at any time. */
  kill(): void;
}

export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** How a command ended. */
export type ExecEnd =
  | { readonly type: 'exited'; readonly code: number }
  /** By a signal of its own making, or the kernel's: `SIGKILL` where memory ran out. */
  | { readonly type: 'signalled'; readonly signal: string; readonly outOfMemory?: boolean }
  | { readonly type: 'timed_out'; readonly afterMs: number }
  | { readonly type: 'cancelled' }
  /** The program could not be started: not there, not executable, no such folder. */
  | { readonly type: 'not_started'; readonly problem: string }
  /** The sandbox ended under it. */
  | { readonly type: 'sandbox_ended'; readonly problem: string };

export interface ExecResult {
  readonly end: ExecEnd;
  /** The exit code a shell would show: 124 for time, 126/127 for not started, 128+n for signals, 130 for cancelled. */
  readonly exitCode: number;
  /** The first `limits.outputBytes` of both streams together. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes that were dropped. */
  readonly dropped: number;
  readonly durationMs: number;
}

export interface ByteRange {
  readonly offset?: number;
  /** At most this many bytes. Default 10 MB; a file that has more is cut, see `FileContent`. */
  readonly limit?: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

export interface WriteOptions {
  /** Permission bits, such as 0o755. Default: those it had, else 0o644. */
  readonly mode?: number;
}

export interface SandboxStats {
  /** Milliseconds of CPU since it started; undefined where the backend cannot tell. */
  readonly cpuMs?: number;
  readonly memoryBytes?: number;
  readonly pids?: number;
  readonly diskBytes?: number;
  readonly network?: { readonly receivedBytes: number; readonly sentBytes: number };
}

/** Every limit is enforced, or the backend says in `Availability.cannot` that it cannot hold it. */
export interface SandboxLimits {
  /** Cores; 1.5 is one and a half. */
  readonly cpus: number;
  /** Of all processes together; swap is not extra. */
  readonly memoryBytes: number;
  readonly pids: number;
  /** Of the workspace and of /tmp, each. */
  readonly diskBytes: number;
  /** Kept of one command's output. */
  readonly outputBytes: number;
  /** Longest a command may take. */
  readonly timeMs: number;
  /** Longest the sandbox lives. */
  readonly lifetimeMs: number;
  /** Commands at once; more wait in line. */
  readonly commands: number;
}

export const defaultLimits: SandboxLimits = {
  cpus: 1,
  memoryBytes: 512 * 1024 * 1024,
  pids: 256,
  diskBytes: 512 * 1024 * 1024,
  outputBytes: 10 * 1024 * 1024,
  timeMs: 600_000,
  lifetimeMs: 24 * 3_600_000,
  commands: 8,
};

export type Network =
  /** No interface but its own loopback. */
  | { readonly type: 'none' }
  /** HTTP and HTTPS to these hosts only, through our proxy: `example.org`, `*.example.org`, `host:8443`. */
  | { readonly type: 'allow'; readonly hosts: readonly string[] }
  /** The whole network, the machine's own and the cloud's metadata address too. Say it and mean it. */
  | { readonly type: 'full' };

export interface SandboxOptions {
  /** Default `none`. */
  readonly network?: Network;
  readonly limits?: Partial<SandboxLimits>;
  /** Variables for every command. Nothing of the host's environment is passed on by itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** For backends that have images. */
  readonly image?: string;
  /** Named caches that outlive the sandbox, such as `npm`; at `/cache/<name>`. */
  readonly caches?: readonly string[];
  /** Whose it is, for labels and lists: the run, the tenant. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Whether a backend can work here. */
export type Availability =
  | {
      readonly available: true;
      readonly version: string;
      /** What it cannot hold here, in sentences for people: `no memory limit: cgroups are not writable`. */
      readonly cannot: readonly string[];
    }
  | { readonly available: false; readonly problem: string; readonly fix: string };

/** A make of sandboxes. */
export interface SandboxBackend {
  readonly name: BackendName;
  probe(signal?: AbortSignal): Promise<Availability>;
  /**
   * `sandbox_failed` if it cannot be started, after the tries the backend finds useful. The first
   * start of a backend removes what dead processes left, too.
   */
  start(options?: SandboxOptions): Promise<Sandbox>;
  /** Those of this process and, where they outlive it, of others that are alive. */
  list(): Promise<readonly SandboxInfo[]>;
  /** Removes what processes that are dead left behind: containers, processes, folders. Says what. */
  reap(): Promise<readonly string[]>;
  /** Ends every sandbox of this process and lets go of what the backend holds. */
  close(): Promise<void>;
}

export interface SandboxInfo {
  readonly id: string;
  readonly state: SandboxState;
  readonly startedAt: number;
  readonly labels: Readonly<Record<string, string>>;
}
