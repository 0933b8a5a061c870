import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { ForgeError, type ForgeErrorCode } from '@forge/core';
import type {
  Command,
  ExecResult,
  Sandbox,
  SandboxBackend,
  SandboxLimits,
  SandboxOptions,
} from '../sandbox.ts';

/** What a backend is, beyond what all of them promise. */
export interface SandboxTraits {
  /** Runs real processes, with signals and children. False for a shell that is only played. */
  readonly processes: boolean;
  /** Commands see nothing of the host: no files, no processes, no network. */
  readonly isolated: boolean;
  /** The limits of a whole sandbox that hold. */
  readonly holds: readonly ('memory' | 'pids' | 'disk')[];
}

export interface ConformanceSetup {
  readonly name: string;
  readonly traits: SandboxTraits;
  /** A backend of its own for a group of tests; closed after it. */
  make(): Promise<SandboxBackend>;
  /** What every sandbox is started with, such as an image. */
  readonly options?: SandboxOptions;
  /**
   * A module, the name of its export that makes such a backend, and what that is called with (as
   * JSON), for the test that kills the process which owns a sandbox. Left out where nothing can
   * outlive its owner.
   */
  readonly owner?: { readonly module: string; readonly make: string; readonly options?: object };
}

/** What the tests of one group share. */
export interface Bench {
  readonly backend: SandboxBackend;
  /** The group's own sandbox. Each test works in a folder of its own. */
  readonly sandbox: Sandbox;
  /** A further sandbox; stopped with the group. */
  start(limits?: Partial<SandboxLimits>, options?: SandboxOptions): Promise<Sandbox>;
}

/** Call inside `describe`: a bench that stands while its tests run. */
export function useBench(setup: ConformanceSetup): () => Bench {
  let bench: Bench | undefined;
  before(async () => {
    const backend = await setup.make();
    const start: Bench['start'] = (limits, options) =>
      backend.start({
        ...setup.options,
        ...options,
        limits: { ...setup.options?.limits, ...options?.limits, ...limits },
      });
    try {
      bench = { backend, start, sandbox: await start() };
    } catch (error) {
      await backend.close();
      throw error;
    }
  });
  after(async () => {
    await bench?.backend.close();
  });
  return () => bench ?? assert.fail('the bench was not made');
}

/** The result of a command with its output as text. */
export interface Ran extends ExecResult {
  readonly out: string;
  readonly err: string;
}

export async function run(sandbox: Sandbox, command: Command | Command['argv']): Promise<Ran> {
  const result = await sandbox.exec('argv' in command ? command : { argv: command }).result;
  return { ...result, out: text(result.stdout), err: text(result.stderr) };
}

/** Runs a script with `sh`, its arguments as `$1`…; it has to end with 0. Gives its stdout. */
export async function sh(sandbox: Sandbox, script: string, ...args: string[]): Promise<string> {
  const ran = await run(sandbox, ['sh', '-c', script, 'sh', ...args]);
  assert.equal(ran.exitCode, 0, `${script}: ${JSON.stringify(ran.end)} ${ran.err}`);
  return ran.out;
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** A name nothing else has. */
export function token(): string {
  return `forge${randomBytes(8).toString('hex')}`;
}

/** Expects a ForgeError with one of these codes (any, if none is given); gives its message. */
export async function failsWith(
  work: Promise<unknown>,
  ...codes: ForgeErrorCode[]
): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(ForgeError.is(error), `expected a ForgeError, got ${String(error)}`);
    if (codes.length > 0) assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    return error.message;
  }
  return assert.fail(`expected ${codes.join(' or ') || 'a failure'}, but it worked`);
}

/**
 * Looks until it is so. Killed processes take a moment to be gone, and nobody tells us of those we
 * are not the parent of.
 */
export async function eventually(look: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`it never came true: ${what}`);
}

/** Waits until no process in the sandbox has the token in its command line. */
export async function gone(sandbox: Sandbox, mark: string): Promise<void> {
  // The brackets keep the search from finding itself.
  const pattern = `[${mark[0]}]${mark.slice(1)}`;
  const search = 'grep -ls "$1" /proc/[0-9]*/cmdline || true';
  await eventually(async () => {
    // While those that are being killed take up every place, nobody can look.
    const { exitCode, out } = await run(sandbox, ['sh', '-c', search, 'sh', pattern]);
    return exitCode === 0 && out === '';
  }, `no process ${mark} is left`);
}
