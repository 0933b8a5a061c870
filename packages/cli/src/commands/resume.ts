import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const notes = `
It goes on with everything the run started too. What was done is not done again.
Ctrl-C pauses it again; a second one cancels it.

Examples:
  forge resume 3f2a91c0
  forge resume --detach 3f2a91c0`;

/** `forge resume`: a run that was paused, or whose process died, goes on here. */
export function addResume(program: Command, context: CommandContext): void {
  program
    .command('resume')
    .description('go on with a run that was paused, or whose process died')
    .argument('<run>', 'its id, or the beginning of it')
    .option('--detach', 'let a worker go on with it, and come back at once')
    .option('--json', 'print events as JSON, one per line, and the result as the last line')
    .addHelpText('after', notes)
    .action(
      async (
        id: string,
        { detach = false, json = false }: { detach?: boolean; json?: boolean },
      ) => {
        const { resumeRun } = await import('../runs/resume-run.ts');
        const verbose = program.opts().verbose === true;
        await resumeRun(id, { context, detach, json, verbose });
      },
    );
}
