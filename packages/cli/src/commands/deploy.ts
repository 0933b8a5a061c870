import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

interface DeployFlags {
  readonly target?: string;
  readonly commit?: string;
  readonly repo?: string;
  readonly config?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
  readonly stop?: boolean;
}

const notes = `
What runs keeps the traffic until the new one is healthy, and gets it back if verification fails.

Examples:
  forge deploy
  forge deploy --target process --commit 3f2a91c
  forge deploy --json | tail -1
  forge deploy --stop`;

/** `forge deploy`: a commit on a target, without the rest of the pipeline. */
export function addDeploy(program: Command, context: CommandContext): void {
  program
    .command('deploy')
    .description('build, start and verify a commit on a target')
    .option('--target <name>', 'the deploy target, instead of the one in forge.yaml')
    .option('--commit <commit>', 'what to deploy (default: HEAD)')
    .option('--repo <path>', 'the repository (default: that of the working directory)')
    .option('--config <file>', 'another forge.yaml')
    .option('--stop', 'end what serves there, instead; "forge deploy" brings it back')
    .option('--detach', 'begin it and come back at once; "forge worker" works on it')
    .option('--json', 'print events as JSON, one per line, and the result as the last line')
    .addHelpText('after', notes)
    .action(async (flags: DeployFlags) => {
      if (flags.stop === true) {
        const { stopServing } = await import('../runs/stop-serving.ts');
        return stopServing({ ...flags, context });
      }
      const { deployCommit } = await import('../runs/deploy-commit.ts');
      await deployCommit({ ...flags, context, verbose: program.opts().verbose === true });
    });
}
