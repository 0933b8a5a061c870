import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';

const states = ['open', 'paused', 'completed', 'failed', 'cancelled', 'dead'] as const;

interface ListFlags {
  readonly all?: boolean;
  readonly state?: (typeof states)[number];
  readonly limit: number;
  readonly json?: boolean;
}

/** `forge list`: the last runs. */
export function addList(program: Command, context: CommandContext): void {
  program
    .command('list')
    .description('the last runs, newest first')
    .option('--all', 'also the runs that other runs started')
    .addOption(new Option('--state <state>', 'only those').choices(states))
    .option('-n, --limit <number>', 'how many', readLimit, 20)
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExamples:\n  forge list\n  forge list --state failed --limit 5')
    .action(async (flags: ListFlags) => {
      const { listRuns } = await import('../runs/list-runs.ts');
      await listRuns(context, flags);
    });
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit > 0) return limit;
  throw new InvalidArgumentError('It takes a number from 1 to 9999, such as 20.');
}
