import { Argument, type Command } from 'commander';
import type { CommandContext } from '../context.ts';

const notes = `
It is kept with the run as the outcome that counts most: what a person thinks of it.

Examples:
  forge feedback 3f2a91c0 good
  forge feedback 3f2a91c0 bad --note "the tests only check that it starts"`;

/** `forge feedback`: what a person thinks of a run. */
export function addFeedback(program: Command, context: CommandContext): void {
  program
    .command('feedback')
    .description("say whether a run did well; it is kept with the run's outcome")
    .argument('<run>', 'its id, or the beginning of it')
    .addArgument(
      new Argument('<verdict>', 'what you think of it').choices(['good', 'bad', 'partly']),
    )
    .option('--note <text>', 'why')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(
      async (
        id: string,
        verdict: 'good' | 'bad' | 'partly',
        flags: { note?: string; json?: boolean },
      ) => {
        const { giveFeedback } = await import('../runs/give-feedback.ts');
        await giveFeedback(id, { context, verdict, ...flags });
      },
    );
}
