import { CommanderError } from 'commander';
import { readConfig } from './config.ts';
import { createProgram } from './create-program.ts';
import { exitCodes } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { createTerminal, endWhenUnread, type Stream, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface MainOptions {
  readonly signal?: AbortSignal;
  readonly stdout?: Stream;
  readonly stderr?: Stream;
  /** Where answers to questions come from. */
  readonly stdin?: NodeJS.ReadableStream;
  /** The variables of the environment. Default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
}

/**
 * Runs `forge` with those arguments and resolves with its exit code. It never ends the process
 * and never rejects.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { signal = new AbortController().signal, stdout, stderr } = options;
  const config = readConfig(options.environment);
  let whenStopped: number = exitCodes.interrupted;
  let whenDone: number = exitCodes.ok;
  let terminal: Terminal | undefined;
  const getTerminal = (): Terminal => {
    const color = program.opts().color === false ? false : undefined;
    terminal ??= createTerminal({ config, color, stdout, stderr });
    return terminal;
  };
  const program = createProgram({
    terminal: getTerminal,
    signal,
    config,
    cwd: options.cwd ?? process.cwd(),
    stdin: options.stdin ?? process.stdin,
    endsWellWhenStopped: () => {
      whenStopped = exitCodes.ok;
    },
    endWith: (code) => {
      whenDone = code;
    },
  });
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return signal.aborted ? whenStopped : whenDone;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    if (error instanceof CommanderError) {
      // Commander has printed it: the help, the version, or what was wrong with the arguments.
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    if (error instanceof UsageError) {
      getTerminal().err(`error: ${error.message}`);
      getTerminal().err('Run "forge --help" to see what there is.');
      return exitCodes.usage;
    }
    const verbose = program.opts().verbose === true;
    await reportError(error, { terminal: getTerminal(), verbose });
    return exitCodes.failed;
  }
}

/** Runs `forge` as this process: its arguments, its streams, its signals, its exit code. */
export async function start(): Promise<void> {
  endWhenUnread();
  const controller = new AbortController();
  const stop = (): void => {
    // The second time, whatever is still busy is not waited for.
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    process.exitCode = await main(process.argv.slice(2), { signal: controller.signal });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
