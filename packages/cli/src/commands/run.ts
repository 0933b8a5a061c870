import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface RunFlags {
  readonly repo?: string;
  readonly base?: string;
  readonly dryRun?: boolean;
  readonly target?: string;
  readonly model?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
  readonly config?: string;
  /** False: nothing is kept. */
  readonly durable: boolean;
}

const notes = `
The pipeline works on copies: your files, index and branches stay as they are. What comes of it is a
branch of its own, forge/…
Ctrl-C pauses the run durably ("forge resume" goes on with it); a second one cancels it.

Examples:
  forge run "add rate limiting to the API"
  forge run --dry-run "rename the config file to app.json"
  forge run - < request.txt
  forge run --json "fix the failing test" | jq .message`;

/** `forge run`: the pipeline of this project. */
export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description('turn a request into reviewed, deployed and verified software')
    .argument('<request>', 'what is wanted, in quotes; - reads it from the standard input')
    .option('--repo <path>', 'the repository (default: that of the working directory)')
    .option('--base <commit>', 'the commit to begin with (default: HEAD)')
    .option('--dry-run', 'stop before anything is deployed')
    .option('--target <name>', 'the deploy target, instead of the one in forge.yaml')
    .option('--model <name>', 'the model of every agent that names none')
    .option('--config <file>', 'another forge.yaml')
    .option('--no-durable', 'keep nothing of it: it cannot be paused, resumed or inspected')
    .option('--detach', 'begin it and come back at once; "forge worker" works on it')
    .option('--json', 'print events as JSON, one per line, and the result as the last line')
    .addHelpText('after', notes)
    .action(async (text: string, flags: RunFlags) => {
      const { runPipeline } = await import('../runs/run-pipeline.ts');
      const verbose = program.opts().verbose === true;
      await runPipeline(text, { ...flags, verbose, context });
    });
}
