import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface RollbackFlags {
  readonly to?: string;
  readonly target?: string;
  readonly reason?: string;
  readonly config?: string;
  readonly json?: boolean;
}

const notes = `
"forge rollback --list" shows the deployments there were. With nothing to go back to it changes
nothing and ends with 1.

Examples:
  forge rollback
  forge rollback --reason "logins fail"
  forge rollback --to 3f2a91c0`;

/** `forge rollback`: back to what ran before. */
export function addRollback(program: Command, context: CommandContext): void {
  program
    .command('rollback')
    .description('give the traffic back to the deployment before')
    .argument('[deployment]', 'the one that is taken back (default: the live one)')
    .option('--to <deployment>', 'the one that is to have the traffic (default: the last good one)')
    .option('--target <name>', 'the deploy target, instead of the one in forge.yaml')
    .option('--reason <text>', 'why; it is kept with the deployment')
    .option('--config <file>', 'another forge.yaml')
    .option('--list', 'only show the deployments')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (from: string | undefined, flags: RollbackFlags & { list?: boolean }) => {
      const { rollBack } = await import('../runs/roll-back.ts');
      await rollBack(from, { ...flags, context });
    });
}
