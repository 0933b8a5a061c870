import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const examples = `
It looks at what is there (package.json, pyproject.toml, Cargo.toml, go.mod, Dockerfile, Makefile …)
and writes a forge.yaml with the commands it found. Nothing is written over without --force.

Examples:
  forge init                  in the folder you are in
  forge init my-service       in a new folder
  forge init --model ollama:qwen3:8b
  forge init my-agent --agent   an agent of your own, to be changed`;

export interface InitFlags {
  readonly force?: boolean;
  readonly model?: string;
  readonly agent?: boolean;
  readonly json?: boolean;
}

/** `forge init`: a `forge.yaml` for this project. */
export function addInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('write a forge.yaml for this project, from what is there')
    .argument('[name]', 'a new folder of that name, instead of this one')
    .option('--model <name>', 'the model of its agents, such as ollama:qwen3:8b')
    .option('--agent', 'begin an agent of your own: its settings, its prompt, its pipeline')
    .option('--force', 'write a new one; the old one is kept beside it')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples)
    .action(async (name: string | undefined, flags: InitFlags) => {
      const { initProject } = await import('./init/init-project.ts');
      initProject(name, flags, context);
    });
}
