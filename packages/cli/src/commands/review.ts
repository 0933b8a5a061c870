import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface ReviewFlags {
  readonly repo?: string;
  readonly model?: string;
  readonly config?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

const notes = `
The reviewer works on a copy, runs the checks of the project itself, and changes nothing. It ends
with 0 for a pass and with 1 for a fail.

Examples:
  forge review                      the last commit
  forge review main..feature        what a branch adds
  forge review ../other             another repository
  forge review --json HEAD~3..HEAD | jq .findings`;

/** `forge review`: a reviewer alone. */
export function addReview(program: Command, context: CommandContext): void {
  program
    .command('review')
    .description('have changes reviewed: findings with severity, file and line, and a verdict')
    .argument('[what]', 'a range of commits such as main..HEAD, or the path of a repository')
    .option('--repo <path>', 'the repository (default: that of the working directory)')
    .option('--model <name>', 'the model of the reviewer')
    .option('--config <file>', 'another forge.yaml')
    .option('--detach', 'begin it and come back at once; "forge worker" works on it')
    .option('--json', 'print the review as one JSON object')
    .addHelpText('after', notes)
    .action(async (what: string | undefined, flags: ReviewFlags) => {
      const { reviewChanges } = await import('../runs/review-changes.ts');
      const verbose = program.opts().verbose === true;
      await reviewChanges(what, { ...flags, context, verbose });
    });
}
