import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { fateOf, identifyProcess, type ProcessIdentity } from '@forge/sandbox/owner';
import { sleep } from '../sleep.ts';
import { markVariable } from './process-group.ts';

/** A release that runs, in a process group of its own. */
export interface ReleaseProcess {
  readonly pid: number;
  readonly identity: ProcessIdentity | undefined;
  /** How it ended, as the rest of a sentence: "ended with code 1". Never rejects. */
  readonly ended: Promise<string>;
}

/**
 * Starts it. What it prints goes into a file it holds itself, so that it does not notice when its
 * keeper is gone. Rejects when it cannot be run.
 */
export async function spawnRelease({
  command,
  cwd,
  env,
  mark,
  log,
}: {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly log: string;
}): Promise<ReleaseProcess> {
  const [file = '', ...args] = command;
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [markVariable]: mark },
      detached: true,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`could not be run: ${error.message}`));
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
      );
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child.pid ?? 0));
    });
    return { pid, identity: identifyProcess(pid), ended };
  } finally {
    closeSync(output);
  }
}

const pollEvery = 250;

/** One that an earlier keeper started. Its end is not told to us: it is looked for. */
export function adoptRelease(identity: ProcessIdentity, signal: AbortSignal): ReleaseProcess {
  const watch = async () => {
    while (fateOf(identity) === 'alive') await sleep(pollEvery, signal);
    return 'ended; how is not known, for it was started by an earlier keeper';
  };
  return { pid: identity.pid, identity, ended: watch().catch(() => 'is not watched any more') };
}
