import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';

interface ForkFlags {
  readonly at: number;
  readonly title?: string;
  readonly message?: string;
  readonly json?: boolean;
}

const notes = `
The new run has the log of the other up to that event, and goes its own way from there.
"forge inspect" shows the numbers of events. The other run stays as it is.

Examples:
  forge fork 3f2a91c0 --at 12
  forge fork 3f2a91c0 --at 12 --message "use the other library instead"`;

/** `forge fork`: another way from an event on. */
export function addFork(program: Command, context: CommandContext): void {
  program
    .command('fork')
    .description('begin a new run from an event of another')
    .argument('<run>', 'its id, or the beginning of it')
    .requiredOption('--at <event>', 'the number of the last event it shares', readEvent)
    .option('--title <text>', 'what to call it')
    .option('--message <text>', 'something to tell it first')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (id: string, flags: ForkFlags) => {
      const { forkRun } = await import('../runs/fork-run.ts');
      await forkRun(id, { context, ...flags });
    });
}

function readEvent(text: string): number {
  const at = Number(text);
  if (/^\d{1,9}$/.test(text) && at > 0) return at;
  throw new InvalidArgumentError('It takes the number of an event, such as 12.');
}
