import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const notes = `
Nothing is called: models and tools say what they said then. With the agents as they were, every
decision is the same; after a change the first difference shows what the change does.
It ends with 1 where a decision would be another.

Examples:
  forge replay 3f2a91c0
  forge replay 3f2a91c0 --json`;

/** `forge replay`: the decisions of a log, taken again. */
export function addReplay(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('go through a log again: would every decision be the same?')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (id: string, { json = false }: { json?: boolean }) => {
      const { replayRun } = await import('../runs/replay-run.ts');
      await replayRun(id, { context, json });
    });
}
