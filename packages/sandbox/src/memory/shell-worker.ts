import { posix } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { Bash, type IFileSystem, InMemoryFs } from 'just-bash';
import { mendScript } from './mend-script.ts';
import { type FromShell, fileMethods, type Job, type ToShell } from './messages.ts';
import { playedShells } from './played-shell.ts';
import { quote } from './quote.ts';

/**
 * The thread of one shell. It runs a command at a time and asks for every file by message. What it
 * does cannot hold up the program that owns it, and ending the thread ends the command for good.
 */

/** Time, not counting, ends a loop here: the thread is ended when its time is over. */
const plenty = 1_000_000_000;
const limits = {
  maxCommandCount: plenty,
  maxLoopIterations: plenty,
  maxAwkIterations: plenty,
  maxSedIterations: plenty,
  maxJqIterations: plenty,
  maxWorkUnits: plenty,
  maxExecutionTimeMs: 2 ** 31 - 1,
  // What keeps one command from eating the memory of the whole program.
  maxStringLength: 64 * 1024 * 1024,
  maxOutputSize: 64 * 1024 * 1024,
  maxLiveBytes: 256 * 1024 * 1024,
};

const port = parentPort ?? missingPort();
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let asked = 0;

port.on('message', (message: ToShell) => {
  if (message.type === 'run') {
    void run(message.job).then((done) => port.postMessage(done));
    return;
  }
  const asker = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.type === 'answer') asker?.resolve(message.value);
  else asker?.reject(new Error(message.message));
});

async function run(job: Job): Promise<FromShell> {
  const { argv, cwd, env, stdin, outputFolder } = job;
  const caught = new InMemoryFs({
    [`${outputFolder}/stdout`]: '',
    [`${outputFolder}/stderr`]: '',
  });
  const bash = new Bash({
    fs: filesFor(outputFolder, caught),
    cwd,
    executionLimits: limits,
    customCommands: playedShells(env),
    processInfo: { pid: 2, ppid: 1, uid: 65534, gid: 65534 },
  });
  bash.registerTransformPlugin(mendScript);
  // Into files, because only they keep bytes that are no text.
  const line = `${argv.map(quote).join(' ')} >${outputFolder}/stdout 2>${outputFolder}/stderr`;
  const { exitCode, stdout, stderr } = await bash.exec(line, {
    cwd,
    env,
    replaceEnv: true,
    rawScript: true,
    stdin: Buffer.from(stdin).toString('latin1'),
    stdinKind: 'bytes',
  });
  const kept = {
    stdout: await caught.readFileBuffer(`${outputFolder}/stdout`),
    stderr: await caught.readFileBuffer(`${outputFolder}/stderr`),
  };
  // What the shell itself says, such as that a limit was reached, is not in the files.
  return {
    type: 'done',
    exitCode,
    stdout: Buffer.concat([kept.stdout, Buffer.from(stdout)]),
    stderr: Buffer.concat([kept.stderr, Buffer.from(stderr)]),
  };
}

/** The files as the shell sees them: those of the sandbox, and the two its output goes into. */
function filesFor(outputFolder: string, caught: IFileSystem): IFileSystem {
  const methods = fileMethods.map((method) => [
    method,
    (...args: unknown[]) => {
      const [path] = args;
      if (typeof path === 'string' && path.startsWith(outputFolder)) {
        // Both sides have the same interface: the arguments fit.
        return (caught[method] as (...args: unknown[]) => unknown)(...args);
      }
      return ask(method, args);
    },
  ]);
  return {
    ...Object.fromEntries(methods),
    resolvePath: (base: string, path: string) => posix.resolve(base, path),
    getAllPaths: () => [],
  };
}

function ask(method: (typeof fileMethods)[number], args: readonly unknown[]): Promise<unknown> {
  asked += 1;
  const id = asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    port.postMessage({ type: 'ask', id, method, args } satisfies FromShell);
  });
}

function missingPort(): never {
  throw new Error('This file runs as a worker thread only.');
}
