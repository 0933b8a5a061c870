import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../printable.ts';

const examples = `
A plugin is a package with a "forge" field in its package.json. It adds tools, agents, prompts and
targets. Those that the project's package.json names are found; others are named in forge.yaml:

  plugins: [./tools/weather]

Examples:
  forge plugin list
  forge plugin new forge-plugin-weather`;

/** `forge plugin`: what packages add to Forge. */
export function addPlugin(program: Command, context: CommandContext): void {
  const plugin = program
    .command('plugin')
    .description('see what plugins a project has, and begin a new one')
    .addHelpText('after', examples);
  addList(plugin, context);
  addNew(plugin, context);
}

function addList(plugin: Command, { terminal: getTerminal, cwd, config, endWith }: CommandContext) {
  plugin
    .command('list')
    .description('the plugins of this project, what they add, and what is wrong with any')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge plugin list --json')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { projectPlugins } = await import('../project/project-plugins.ts');
      const { loaded, problems } = await projectPlugins({ cwd, config });
      const terminal = getTerminal();
      const shown = loaded.map(({ tools, agents, prompts, targets, ...rest }) => ({
        ...rest,
        tools: tools.map(({ spec }) => spec.name),
        agents: agents.map(({ name }) => name),
        prompts: Object.keys(prompts),
        targets: Object.keys(targets),
      }));
      if (problems.length > 0) endWith(exitCodes.failed);
      if (json) {
        terminal.out(JSON.stringify({ plugins: shown, problems }));
        return;
      }
      if (shown.length + problems.length === 0) {
        terminal.out('This project has no plugins. Begin one with "forge plugin new <name>".');
      }
      for (const { name, version, tools, agents, prompts, targets } of shown) {
        terminal.out(`${terminal.style('bold', name)} ${version}`);
        for (const [kind, names] of Object.entries({ tools, agents, prompts, targets })) {
          if (names.length > 0) terminal.out(`  ${kind}: ${names.join(', ')}`);
        }
      }
      for (const { name, problem } of problems)
        terminal.err(`${name}: ${printable(problem, 1_000)}`);
    });
}

function addNew(plugin: Command, { terminal: getTerminal, cwd }: CommandContext) {
  plugin
    .command('new')
    .description('make the folder of a new plugin, with a tool and a test that passes')
    .argument('<name>', 'the name of its package, such as forge-plugin-weather')
    .option('--folder <path>', 'where to put it (default: a folder of that name)')
    .addHelpText('after', '\nExample:\n  forge plugin new forge-plugin-weather')
    .action(async (name: string, { folder }: { folder?: string }) => {
      const { newPlugin } = await import('@forge/tools/plugins');
      const place = folder ?? name.slice(name.indexOf('/') + 1);
      const files = await newPlugin({ folder: resolve(cwd, place), name });
      const terminal = getTerminal();
      for (const file of files) terminal.out(file);
      terminal.err(
        `Install it in a project with "npm install ./${place}", or name it in forge.yaml.`,
      );
    });
}
