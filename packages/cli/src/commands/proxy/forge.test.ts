import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type MainOptions, main } from '../../main.ts';

/** A folder of its own, with a home in it, that goes away at the end of its scope. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'forge-cli-proxy-')));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface RunningForge {
  /** Resolves with the first line of the output that fits. Rejects when the command ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Presses Ctrl-C. */
  stop(): void;
  readonly ended: Promise<{
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

export interface ForgeOptions extends Pick<MainOptions, 'cwd' | 'environment'> {
  /** Lines of the standard input, all there from the beginning. */
  readonly answers?: readonly string[];
}

/** The real command, in this process, with an environment of its own. */
export function startForge(args: readonly string[], options: ForgeOptions = {}): RunningForge {
  const { cwd = tmpdir(), environment = {}, answers = [] } = options;
  const controller = new AbortController();
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const stream = (keep: (text: string) => void) => ({
    write(text: string) {
      keep(text);
      for (const look of waiting) look();
    },
  });
  const ended = main(args, {
    cwd,
    environment: { HOME: join(cwd, 'home'), COLUMNS: '100', ...environment },
    signal: controller.signal,
    stdin: Readable.from(answers.map((answer) => `${answer}\n`)),
    stdout: stream((text) => {
      stdout += text;
    }),
    stderr: stream((text) => {
      stderr += text;
    }),
  }).then((code) => ({ code, stdout, stderr }));
  return {
    ended,
    stop: () => controller.abort(),
    async line(pattern) {
      const found = Promise.withResolvers<string>();
      const look = () => {
        const line = `${stdout}${stderr}`.split('\n').find((one) => pattern.test(one));
        if (line !== undefined) found.resolve(line);
      };
      waiting.add(look);
      look();
      const gaveUp = ended.then(({ code }) => {
        throw new Error(`forge ended with ${code} before ${pattern}:\n${stdout}${stderr}`);
      });
      try {
        return await Promise.race([found.promise, gaveUp]);
      } finally {
        waiting.delete(look);
      }
    },
  };
}

export function forge(args: readonly string[], options?: ForgeOptions): RunningForge['ended'] {
  return startForge(args, options).ended;
}
