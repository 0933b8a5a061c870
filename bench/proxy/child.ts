import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';

/** A process of the bench; whoever started it stops it. */
export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Who gets a core of their own. The backend and the load share one: each is cheap. */
export type Role = 'backend' | 'load' | 'middle' | 'anywhere';

/** Starts a process, on the core of its role where the machine has two and knows `taskset`. */
export function startChild(options: {
  readonly command: string;
  readonly args: readonly string[];
  readonly role: Role;
  readonly channel?: boolean;
  readonly cwd?: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}): Child {
  const { role, channel = false, cwd, env } = options;
  const core = coreOf(role);
  const command = core === undefined ? options.command : 'taskset';
  const args =
    core === undefined ? [...options.args] : ['-c', String(core), options.command, ...options.args];
  const child = spawn(command, args, {
    cwd,
    ...(env !== undefined && { env: { ...process.env, ...env } }),
    stdio: channel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  child.on('error', () => {});
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
  }
  const gone = once(child, 'close').catch(() => {});
  if (child.pid === undefined) throw new Error(`${options.command} could not be started.`);
  const exitsEarly = (code: number | null) => {
    if (!stopping) console.error(`${options.args[0]} ended with ${code}:\n${said}`);
  };
  let stopping = false;
  child.once('exit', exitsEarly);
  return {
    pid: child.pid,
    process: child,
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await gone;
      clearTimeout(hard);
    },
  };
}

/** The next message of a child, or an error if it ends first. */
export async function nextMessage(child: Child): Promise<unknown> {
  const stop = new AbortController();
  try {
    const ended = once(child.process, 'exit', { signal: stop.signal }).then(([code]) => {
      throw new Error(`The process ended with ${code} before it answered.`);
    });
    const message = once(child.process, 'message', { signal: stop.signal });
    message.catch(() => {});
    ended.catch(() => {});
    const [value]: unknown[] = await Promise.race([message, ended]);
    return value;
  } finally {
    stop.abort();
  }
}

/** Starts a module of the bench that says its port once it listens. */
export async function startModule(options: {
  readonly file: URL;
  readonly args?: readonly string[];
  readonly role: Role;
}): Promise<Child & { readonly port: number }> {
  const { pathname } = options.file;
  const child = startChild({
    command: process.execPath,
    args: [...nodeFlags(options.role), '--expose-gc', pathname, ...(options.args ?? [])],
    role: options.role,
    channel: true,
  });
  const message = await nextMessage(child);
  if (typeof message !== 'object' || message === null || !('port' in message)) {
    await child.stop();
    throw new Error(`${pathname} did not say where it listens.`);
  }
  return { ...child, port: Number(message.port) };
}

/** `FORGE_BENCH_NODE_FLAGS='--cpu-prof --cpu-prof-dir=…'` profiles whatever is in the middle. */
function nodeFlags(role: Role): string[] {
  const flags = process.env.FORGE_BENCH_NODE_FLAGS ?? '';
  return role === 'middle' && flags !== '' ? flags.split(' ') : [];
}

let pinning: boolean | undefined;

/** Whether the middle has a core of its own. */
export function canPin(): boolean {
  pinning ??= cpus().length >= 2 && hasTaskset();
  return pinning;
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function coreOf(role: Role): number | undefined {
  if (role === 'anywhere' || !canPin()) return undefined;
  const last = cpus().length - 1;
  if (role === 'middle') return last;
  return role === 'load' && last >= 2 ? 1 : 0;
}
