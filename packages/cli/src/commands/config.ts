import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

const examples = `
Settings are read from flags, FORGE_… variables, the project's forge.yaml, your own config.yaml, and
defaults: the first that says something wins. docs/configuration.md lists them all.

Examples:
  forge config                      what holds here
  forge config --origins            and where each value came from
  forge config deploy.target        one value
  forge config check                whether all of it is right
  forge config schema > forge.schema.json`;

interface ConfigFlags {
  readonly origins?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

/** `forge config`: the settings that hold here, and where they came from. */
export function addConfig(program: Command, context: CommandContext): void {
  const config = program
    .command('config')
    .description('the settings that hold here, and where each came from')
    .argument('[path]', 'one of them, such as deploy.target')
    .option('--origins', 'where each value came from')
    .option('--json', 'print it as JSON')
    .option('--config <path>', 'a file to read instead of forge.yaml')
    .addHelpText('after', examples)
    .action(async (path: string | undefined, flags: ConfigFlags) => {
      const { showConfig } = await import('./config/show-config.ts');
      showConfig(path, flags, context);
    });
  addSchema(config, context);
  addCheck(config, context);
}

function addSchema(config: Command, { terminal: getTerminal }: CommandContext) {
  config
    .command('schema')
    .description('the JSON Schema of forge.yaml, for editors')
    .addHelpText('after', '\nExample:\n  forge config schema > forge.schema.json')
    .action(async () => {
      const { publishedSchema } = await import('../settings/json-schema.ts');
      getTerminal().out(JSON.stringify(publishedSchema(), undefined, 2));
    });
}

function addCheck(config: Command, context: CommandContext) {
  config
    .command('check')
    .description('whether every setting is right, and what they name: agents, pipeline, profiles')
    .option('--json', 'print the result as JSON')
    .option('--config <path>', 'a file to read instead of forge.yaml')
    .addHelpText('after', '\nExample:\n  forge config check')
    .action(async (_: unknown, command: Command) => {
      const { checkConfig } = await import('./config/check-config.ts');
      await checkConfig(command.optsWithGlobals(), context);
    });
}
