import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** The questions hardware detection asks. Tests answer them themselves. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The output of a program, or undefined if it is missing, fails or takes too long. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
  /** The text of a file, or undefined. */
  read(path: string): Promise<string | undefined>;
  list(folder: string): Promise<readonly string[]>;
}

const runTimeout = 10_000;

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    run: (program, args) =>
      new Promise((resolve) => {
        const options = { timeout: runTimeout, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
        execFile(program, args, options, (error, stdout) =>
          resolve(error === null ? stdout : undefined),
        );
      }),
    read: (path) => readFile(path, 'utf8').catch(() => undefined),
    list: (folder) => readdir(folder).catch(() => []),
  };
}
