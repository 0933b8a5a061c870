import { hiddenProgram } from './hidden-program.ts';
import { parseCommand, type SimpleCommand } from './parse-command.ts';

/**
 * Why a command is not one of those listed by program name, or undefined if it is. Every program
 * of the line must be listed, and do no more than its name says.
 */
export function notListed(
  command: string | readonly string[],
  listed: readonly string[],
): string | undefined {
  const allowed = `Allowed here: ${listed.join(', ')}.`;
  const parsed = typeof command === 'string' ? parseCommand(command) : fromWords(command);
  if (!parsed.plain) {
    return `The command has ${parsed.why}, and only plain commands can be told apart here. Send one plain command at a time. ${allowed}`;
  }
  for (const { argv, assignments } of parsed.commands) {
    const [program] = argv;
    if (!listed.includes(program)) return `${program} is not allowed. ${allowed}`;
    if (assignments.length > 0) {
      return `Setting ${assignments[0]?.split('=')[0]} for one command is not allowed. ${allowed}`;
    }
    const hidden = hiddenProgram(argv);
    if (hidden !== undefined) return `${hidden}, and that is not allowed. ${allowed}`;
  }
  return undefined;
}

function fromWords([program, ...words]: readonly string[]): ReturnType<typeof parseCommand> {
  if (program === undefined) return { plain: false, why: 'no command' };
  const command: SimpleCommand = { assignments: [], argv: [program, ...words] };
  return { plain: true, commands: [command] };
}
