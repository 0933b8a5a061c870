import { Argument, type Command } from 'commander';
import type { CommandContext } from '../context.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

const notes = `
Examples:
  forge completion bash > ~/.local/share/bash-completion/completions/forge
  forge completion zsh > "\${fpath[1]}/_forge"
  forge completion fish > ~/.config/fish/completions/forge.fish`;

/** `forge completion`: a script for a shell, made from the commands as they are. */
export function addCompletion(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('a script that lets a shell complete the commands of forge')
    .addArgument(new Argument('<shell>', 'for which shell').choices(shells))
    .addHelpText('after', notes)
    .action(async (shell: (typeof shells)[number]) => {
      const { createWholeProgram } = await import('../create-program.ts');
      const { commandTree } = await import('../completion/command-tree.ts');
      const { scripts } = await import('../completion/scripts.ts');
      const tree = commandTree(await createWholeProgram(context));
      context.terminal().out(scripts[shell](tree).trimEnd());
    });
}
