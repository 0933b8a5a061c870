import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';

interface InspectFlags {
  readonly at?: number;
  readonly json?: boolean;
}

const notes = `
Examples:
  forge inspect 3f2a91c0
  forge inspect 3f2a91c0 --at 12      as it was after event 12
  forge inspect 3f2a91c0 --json | jq .steps`;

/** `forge inspect`: all there is to know of a run. */
export function addInspect(program: Command, context: CommandContext): void {
  program
    .command('inspect')
    .description('all there is to know of a run: its steps, results, costs and numbers')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--at <event>', 'as it was after that event', readEvent)
    .option('--json', 'print it as JSON')
    .addHelpText('after', notes)
    .action(async (id: string, { at, json = false }: InspectFlags) => {
      const { inspectRun } = await import('../runs/inspect-run.ts');
      await inspectRun(id, { context, json, ...(at !== undefined && { at }) });
    });
}

function readEvent(text: string): number {
  const at = Number(text);
  if (/^\d{1,9}$/.test(text) && at > 0) return at;
  throw new InvalidArgumentError('It takes the number of an event, such as 12.');
}
