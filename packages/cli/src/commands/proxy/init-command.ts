import { type Command, Option } from 'commander';
import type { CommandContext } from '../../context.ts';
import { backendKinds, wireNames } from '../../project/proxy-names.ts';
import { flagsOf } from './flags-of.ts';
import type { InitFlags } from './init.ts';
import { readPort, readUrl } from './read-values.ts';

const examples = `
Examples:
  forge proxy init
  forge proxy init --profile work --config ~/.config/forge/config.yaml
  forge proxy init --non-interactive --backend ollama --model qwen3:8b --sessions`;

/** `forge proxy init`: asks a few questions and writes a profile. */
export function addInit(proxy: Command, context: CommandContext): void {
  const command = proxy
    .command('init')
    .description('find the model servers of this machine and write a profile to forge.yaml')
    .option('--profile <name>', 'the name of the profile (default: by the backend)')
    .option('--config <path>', 'the file to write (default: forge.yaml here or above)')
    .option('--force', 'replace a profile of that name')
    .option('--non-interactive', 'ask nothing: take flags, and the first server that is found')
    .optionsGroup('Answers:')
    .option('--backend-url <url>', 'where the server is', readUrl)
    .addOption(new Option('--backend <kind>', 'what it is').choices(backendKinds))
    .addOption(new Option('--backend-wire <wire>', 'what it speaks').choices(wireNames))
    .option('--model <name>', 'ask for this model, whatever the client says')
    .option('--gguf <file>', 'start llama-server with this model')
    .option('--backend-api-key-env <name>', 'the variable that holds the key of the backend')
    .option('--api-key-env <name>', 'the variable that holds the key callers have to send')
    .option('--port <number>', 'the port to listen on (8081)', readPort)
    .option('--sessions', 'remember steps and budgets from request to request')
    .option('--no-sessions', 'remember nothing')
    .addHelpText('after', examples)
    .action(async () => {
      const { init } = await import('./init.ts');
      await init(flagsOf<InitFlags>(command), context);
    });
}
