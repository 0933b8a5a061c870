import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ForgeError } from '@forge/core';
import { answerLines } from './answer-lines.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { encodeProgram } from './seccomp/assemble.ts';
import { buildFilter, type Machine } from './seccomp/build-filter.ts';

export interface StartBwrap {
  readonly program: string;
  /** Its arguments, given the number of the descriptor that holds the filter. */
  readonly args: (seccompFd: number) => readonly string[];
  readonly script: string;
  /** A folder of the host for files it needs while it starts. */
  readonly folder: string;
  readonly user: number | undefined;
  /** Called with the process before it does anything: it may be put under limits. */
  readonly onSpawn: (pid: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** A sandbox that has just begun. */
export interface BwrapProcess {
  readonly child: ChildProcess;
  readonly input: Writable;
  /** The lines its first process says, after `ready`. */
  readonly answers: AsyncIterable<string>;
  /** Resolves with what it said last when it is gone. */
  readonly ended: Promise<string>;
}

/** How long it may take to start. */
const startMs = 30_000;

/** Ends of the complaint that is kept. */
const complaintChars = 2000;

/** Starts `bwrap` and waits until the first process inside says that it is there. */
export async function startBwrap(options: StartBwrap): Promise<BwrapProcess> {
  const { program, args, script, folder, user, onSpawn, signal } = options;
  const filter = join(folder, 'seccomp');
  await writeFile(filter, encodeProgram(buildFilter(machine())));
  const fd = openSync(filter, 'r');
  const nothing = openSync('/dev/null', 'r');
  let child: ChildProcess;
  try {
    // It waits for a line before it becomes bwrap: until then it can be put under its limits.
    const wait = 'read -r _ || exit 1; exec "$@"';
    child = spawn('/bin/sh', ['-c', wait, 'sh', program, ...args(3), 'sh', '-c', script], {
      env: {}, // What a process began with can be read in /proc, also of those cleared later.
      cwd: '/',
      detached: true, // Ctrl-C at our terminal is for us: what is inside ends when we say so.
      stdio: ['pipe', 'pipe', 'pipe', fd, ...covered(nothing)],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
  } finally {
    closeSync(fd);
    closeSync(nothing);
  }
  const [input, output, errors] = [child.stdin, child.stdout, child.stderr];
  if (input === null || output === null || errors === null) throw new Error('spawn gave no pipes');
  input.on('error', () => undefined); // It is gone; `ended` says so.
  const ended = lastWords(child, errors);
  const abort = () => child.kill('SIGKILL');
  const late = setTimeout(abort, startMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (child.pid !== undefined) await onSpawn(child.pid);
    input.write('go\n');
    const answers = answerLines(output, () => child.kill('SIGKILL'));
    const first = await Promise.race([answers.next(), ended]);
    if (signal?.aborted) throw new ForgeError('cancelled', 'The start was cancelled.');
    if (typeof first === 'string' || first.done || first.value !== 'ready') {
      throw new ForgeError('sandbox_failed', `bubblewrap did not start: ${await ended}`);
    }
    return { child, input, answers, ended };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', abort);
  }
}

/** From the fourth on: nothing in the place of each descriptor that it would have got from us. */
function covered(nothing: number): ('ignore' | number)[] {
  const inherited = new Set(inheritedDescriptors());
  const length = Math.max(3, ...inherited) - 3;
  return Array.from({ length }, (_, at) => (inherited.has(at + 4) ? nothing : 'ignore'));
}

async function lastWords(child: ChildProcess, errors: Readable): Promise<string> {
  let words = '';
  errors.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-complaintChars);
  });
  try {
    const [code, signal] = await once(child, 'close');
    return words.trim() || `it ended with ${signal ?? code}`;
  } catch (error) {
    return `it could not be started: ${String(error)}`;
  }
}

function machine(): Machine {
  const { arch } = process;
  if (arch === 'x64' || arch === 'arm64') return arch;
  throw new ForgeError(
    'sandbox_failed',
    `There is no filter of system calls for ${arch} machines. Use docker here.`,
  );
}
