import { type Command, CommanderError } from 'commander';
import { readConfig } from './config.ts';
import type { CommandContext, OpenWorkshop } from './context.ts';
import { createProgram, helpHint } from './create-program.ts';
import { exitCodes } from './exit-codes.ts';
import { InterruptDesk } from './interrupts.ts';
import { reportError } from './report-error.ts';
import { createTerminal, endWhenUnread, type Stream, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface MainOptions {
  /** Aborting it is one press of Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Where presses of Ctrl-C come from, if there may be several. Wins over `signal`. */
  readonly interrupts?: InterruptDesk;
  readonly stdout?: Stream;
  readonly stderr?: Stream;
  /** Where answers to questions come from. */
  readonly stdin?: NodeJS.ReadableStream;
  /** The variables of the environment. Default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The working directory. Default: that of this process. */
  readonly cwd?: string;
  /** Another workshop than the one the settings describe. */
  readonly openWorkshop?: OpenWorkshop;
}

/**
 * Runs `forge` with those arguments and resolves with its exit code. It never ends the process
 * and never rejects.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { stdout, stderr } = options;
  const desk =
    options.interrupts ?? InterruptDesk.of(options.signal ?? new AbortController().signal);
  const { signal } = desk;
  const config = readConfig(options.environment);
  let whenStopped: number = exitCodes.interrupted;
  let whenDone: number = exitCodes.ok;
  let program: Command | undefined;
  let terminal: Terminal | undefined;
  const context: CommandContext = {
    terminal: () => {
      const color = program?.opts().color === false ? false : undefined;
      terminal ??= createTerminal({ config, color, stdout, stderr });
      return terminal;
    },
    signal,
    interrupts: desk,
    config,
    cwd: options.cwd ?? process.cwd(),
    stdin: options.stdin ?? process.stdin,
    openWorkshop: options.openWorkshop ?? openUsualWorkshop,
    endsWellWhenStopped: () => {
      whenStopped = exitCodes.ok;
    },
    endWith: (code) => {
      whenDone = code;
    },
  };
  try {
    program = await createProgram(context, args);
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return signal.aborted ? whenStopped : whenDone;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    if (error instanceof CommanderError) {
      // Commander has printed it: the help, the version, or what was wrong with the arguments.
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    if (error instanceof UsageError) {
      context.terminal().err(`error: ${error.message}`);
      if (program !== undefined) context.terminal().err(helpHint(args, program));
      return exitCodes.usage;
    }
    const verbose = program?.opts().verbose === true;
    await reportError(error, { terminal: context.terminal(), verbose });
    return exitCodes.failed;
  }
}

const openUsualWorkshop: OpenWorkshop = async (options) => {
  const { openWorkshop } = await import('./workshop/open-workshop.ts');
  return openWorkshop(options);
};

/** Runs `forge` as this process: its arguments, its streams, its signals, its exit code. */
export async function start(options: Pick<MainOptions, 'openWorkshop'> = {}): Promise<void> {
  endWhenUnread();
  const interrupts = new InterruptDesk();
  const stop = (): void => {
    if (!interrupts.press()) process.exit(exitCodes.interrupted);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    process.exitCode = await main(process.argv.slice(2), { ...options, interrupts });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
