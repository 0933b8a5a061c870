import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

/** `forge cancel`: ends a run, whoever works on it. */
export function addCancel(program: Command, context: CommandContext): void {
  program
    .command('cancel')
    .description('end a run and everything it started')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--reason <text>', 'why; it is kept with the run')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  forge cancel 3f2a91c0 --reason "not needed any more"')
    .action(async (id: string, flags: { reason?: string; json?: boolean }) => {
      const { cancelRun } = await import('../runs/cancel-run.ts');
      await cancelRun(id, { context, ...flags });
    });
}
