import { Command } from 'commander';
import { commandTable } from './command-table.ts';
import type { CommandContext } from './context.ts';
import { exitCodeHelp } from './exit-codes.ts';
import { readVersion } from './version.ts';

/**
 * The command line as a whole. Only the command that the arguments name is loaded; of the others
 * there are the name and the description. It throws a CommanderError where it would end the process.
 */
export async function createProgram(
  context: CommandContext,
  args: readonly string[],
): Promise<Command> {
  const program = emptyProgram(context);
  const chosen = chosenCommand(args);
  for (const { group, name, description, load } of commandTable) {
    program.commandsGroup(group);
    if (name === chosen) (await load())(program, context);
    else program.command(name).description(description);
  }
  for (const command of [program, ...commandPath(args, program)]) {
    command.showHelpAfterError(helpHint(args, program));
  }
  return program;
}

/** With every command loaded: for whoever looks at all of them. */
export async function createWholeProgram(context: CommandContext): Promise<Command> {
  const program = emptyProgram(context);
  for (const { load } of commandTable) (await load())(program, context);
  return program;
}

const lastGroup = commandTable.at(-1)?.group ?? 'Commands:';

function emptyProgram(context: CommandContext): Command {
  return new Command('forge')
    .description('Agents that finish.')
    .version(readVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('print the help of a command')
        .helpGroup(lastGroup),
    )
    .option('--verbose', 'print more, and where an error came from')
    .option('--no-color', 'plain text')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.terminal().out(text.trimEnd()),
      writeErr: (text) => context.terminal().err(text.trimEnd()),
      getOutHelpWidth: () => context.terminal().columns,
      getErrHelpWidth: () => context.terminal().columns,
    })
    .addHelpText('after', exitCodeHelp)
    .exitOverride();
}

/** Where to read how the command that was meant is called. */
export function helpHint(args: readonly string[], program: Command): string {
  const path = commandPath(args, program).map((command) => command.name());
  return path.length > 0
    ? `Run "forge ${path.join(' ')} --help" to see how it is called.`
    : 'Run "forge --help" to see what there is.';
}

/** The commands that the first words name, each below the one before. */
function commandPath(args: readonly string[], program: Command): readonly Command[] {
  const path: Command[] = [];
  for (const word of wordsOf(args)) {
    const next = (path.at(-1) ?? program).commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(next);
  }
  return path;
}

function chosenCommand(args: readonly string[]): string | undefined {
  return wordsOf(args)[0];
}

/** What is no option; no option of the whole takes a value, so that the first cannot be one's. */
function wordsOf(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith('-'));
  return words[0] === 'help' ? words.slice(1) : words;
}
