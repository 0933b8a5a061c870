import { type Command, Option } from 'commander';
import type { CommandContext } from '../context.ts';

/** `forge status`: the project, or one run. */
export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('how this project stands, or one run')
    .argument('[run]', 'its id, or the beginning of it')
    .option('--json', 'print it as JSON')
    .addOption(
      new Option('--output-format <format>', 'the same as --json, for json')
        .choices(['text', 'json'])
        .hideHelp(),
    )
    .addHelpText('after', '\nExamples:\n  forge status\n  forge status 3f2a91c0 --json')
    .action(
      async (id: string | undefined, flags: { json?: boolean; outputFormat?: 'text' | 'json' }) => {
        const json = flags.json ?? flags.outputFormat === 'json';
        if (id === undefined) {
          const { showProject } = await import('../runs/show-project.ts');
          await showProject(context, { json });
        } else {
          const { showRun } = await import('../runs/show-run.ts');
          await showRun(id, { context, json });
        }
      },
    );
}
