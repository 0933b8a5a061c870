import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const notes = `
It shows everything the run started too, in the order of time. With --verbose, bookkeeping as well.

Examples:
  forge logs 3f2a91c0
  forge logs -f 3f2a91c0
  forge logs 3f2a91c0 --json | jq 'select(.level == "error")'`;

/** `forge logs`: what happened, as lines. */
export function addLogs(program: Command, context: CommandContext): void {
  program
    .command('logs')
    .description('what happened in a run, as it happened')
    .argument('<run>', 'its id, or the beginning of it')
    .option('-f, --follow', 'go on until it has ended')
    .option('--json', 'print events as JSON, one per line')
    .addHelpText('after', notes)
    .action(async (id: string, flags: { follow?: boolean; json?: boolean }) => {
      const { showLogs } = await import('../runs/show-logs.ts');
      await showLogs(id, { context, verbose: program.opts().verbose === true, ...flags });
    });
}
