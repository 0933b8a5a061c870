import type { Command, Option } from 'commander';

export interface CompletedOption {
  /** Such as `--json`. */
  readonly long: string;
  /** Such as `-f`. */
  readonly short: string | undefined;
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** A command as far as a shell completes it. */
export interface CompletedCommand {
  /** The words that lead here, without `forge`. */
  readonly path: readonly string[];
  readonly about: string;
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
  /** What its first argument may be, where that is known. */
  readonly choices: readonly string[];
}

/** The commands of a program, with the options that hold for all of them in each. */
export function commandTree(program: Command): CompletedCommand {
  const atTop = [...optionsOf(program.options), ...helpOption];
  const everywhere = atTop.filter(({ long }) => long !== '--version');
  const read = (command: Command, path: readonly string[]): CompletedCommand => ({
    path,
    about: command.description(),
    commands: command.commands
      // What commander calls hidden is not for people who press the tab key.
      .filter((each) => !('_hidden' in each && each._hidden === true))
      .map((each) => read(each, [...path, each.name()])),
    options: path.length === 0 ? atTop : [...optionsOf(command.options), ...everywhere],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  });
  return read(program, []);
}

const helpOption: readonly CompletedOption[] = [
  { long: '--help', short: '-h', about: 'print the help', takesValue: false, choices: [] },
];

function optionsOf(options: readonly Option[]): readonly CompletedOption[] {
  return options.flatMap(({ long, short, description, required, optional, hidden, argChoices }) =>
    long === undefined || hidden
      ? []
      : [
          {
            long,
            short: short ?? undefined,
            about: description,
            takesValue: required || optional,
            choices: argChoices ?? [],
          },
        ],
  );
}

/** Every command below, and itself. */
export function allCommands(tree: CompletedCommand): readonly CompletedCommand[] {
  return [tree, ...tree.commands.flatMap(allCommands)];
}
