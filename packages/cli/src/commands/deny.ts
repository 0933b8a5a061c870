import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface DenyFlags {
  readonly reason?: string;
  readonly always?: boolean;
  readonly run?: boolean;
  readonly pattern?: string;
  readonly json?: boolean;
}

const notes = `
Examples:
  forge deny 3f2a91c0 --reason "push to a branch instead"
  forge deny 3f2a91c0 --always --pattern 'shell(rm*)'`;

/** `forge deny`: a no. */
export function addDeny(program: Command, context: CommandContext): void {
  program
    .command('deny')
    .description('say no to what a run asks for')
    .argument('[id]', 'of the approval, or of the run that waits for it')
    .option('--reason <text>', 'why not; the agent sees it')
    .option('--run', 'also to the same call again in this run')
    .option('--always', 'also to the same call again in any run')
    .option('--pattern <pattern>', 'with --run or --always: which calls, such as shell(git push*)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (id: string | undefined, flags: DenyFlags) => {
      const { decideApproval } = await import('../runs/decide-approval.ts');
      await decideApproval(id, { context, action: 'deny', ...flags });
    });
}
