import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface ApproveFlags {
  readonly args?: string;
  readonly answer?: string;
  readonly always?: boolean;
  readonly run?: boolean;
  readonly pattern?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

const notes = `
Without an id, in a terminal, everything that waits is gone through one by one. It shows exactly what
will run. The id of a run stands for the one thing it waits for.

Examples:
  forge approve
  forge approve --list
  forge approve 3f2a91c0
  forge approve 3f2a91c0 --args '{"command": "git push --dry-run"}'
  forge approve 3f2a91c0 --run --pattern 'shell(git push*)'`;

/** `forge approve`: a yes. */
export function addApprove(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description('say yes to what a run asks for')
    .argument('[id]', 'of the approval, or of the run that waits for it')
    .option('--args <json>', 'run it with these arguments instead')
    .option('--answer <text>', 'for a question: the answer, as text or JSON')
    .option('--run', 'also to the same call again in this run')
    .option('--always', 'also to the same call again in any run')
    .option('--pattern <pattern>', 'with --run or --always: which calls, such as shell(git push*)')
    .option('--list', 'only show what waits')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (id: string | undefined, flags: ApproveFlags) => {
      const { decideApproval } = await import('../runs/decide-approval.ts');
      await decideApproval(id, { context, action: 'approve', ...flags });
    });
}
