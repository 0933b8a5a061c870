import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addBuild } from './sandbox/build-command.ts';
import { addCheck } from './sandbox/check-command.ts';
import { addLists } from './sandbox/list-commands.ts';
import { addRun } from './sandbox/run-command.ts';

const examples = `
Examples:
  forge sandbox check
  forge sandbox build node
  forge sandbox run -- sh -c 'id; ls -la'
  forge sandbox list`;

/** `forge sandbox`: places where commands run that must not harm. */
export function addSandbox(program: Command, context: CommandContext): void {
  const sandbox = program
    .command('sandbox')
    .description('run commands where they can do no harm')
    .addHelpText('after', examples);
  addCheck(sandbox, context);
  addBuild(sandbox, context, () => program.opts().verbose === true);
  addRun(sandbox, context);
  addLists(sandbox, context);
}
