import { type ChildProcess, spawn } from 'node:child_process';
import type { KeeperJob } from './keeper-job.ts';
import type { RotatingLog } from './rotating-log.ts';

export interface ServerProcess {
  readonly pid: number;
  /** How it ended, as the rest of a sentence: "ended with code 1". Never rejects. */
  readonly ended: Promise<string>;
}

/** Starts the server in a process group of its own; what it says goes to the log. Rejects when it cannot be run. */
export async function spawnServer(job: KeeperJob, log: RotatingLog): Promise<ServerProcess> {
  const [file = '', ...args] = withVariables(job);
  const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => log.write(chunk));
  }
  const ended = endOf(child);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
  return { pid, ended };
}

/** By way of `env`, which becomes the server: what this process has stays as it is. */
function withVariables({ binary, args, variables }: KeeperJob): readonly string[] {
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return settings.length === 0 ? [binary, ...args] : ['env', ...settings, binary, ...args];
}

/** Children may hold the pipes of a server that is gone for as long as they live. */
const lastWords = 500;

/** Waits for what it said last as well, which may arrive after the news of its end. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      const timer = setTimeout(() => resolve(how), lastWords);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(how);
      });
    });
  });
}
