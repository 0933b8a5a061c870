import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const examples = `
Each line is ok, a warning, or a failure with what to do about it. It ends with 1 if something that
the configuration needs is not there. Values of keys are never shown.

Examples:
  forge doctor
  forge doctor --json
  forge doctor --12-factor    this project against the twelve factors of agents`;

export interface DoctorFlags {
  readonly json?: boolean;
  readonly config?: string;
  readonly '12Factor'?: boolean;
}

/** `forge doctor`: whether everything Forge needs here is there. */
export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check that everything Forge needs here is there, and say what to do')
    .option('--json', 'print it as JSON')
    .option('--12-factor', 'check this project against the twelve factors of agents instead')
    .option('--config <path>', 'a file to read instead of forge.yaml')
    .addHelpText('after', examples)
    .action(async (flags: DoctorFlags) => {
      const { runDoctor } = await import('./doctor/run-doctor.ts');
      await runDoctor(flags, context);
    });
}
