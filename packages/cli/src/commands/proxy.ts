import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../usage-error.ts';
import { addCheck } from './proxy/check-command.ts';
import {
  addBackendFlags,
  addGuardFlags,
  addProfileFlags,
  addServeFlags,
  type ProxyFlags,
} from './proxy/flags.ts';
import { addInit } from './proxy/init-command.ts';

const notes = `
Without a backend, the usual addresses of this machine are tried (or those in
FORGE_BACKEND_ADDRESSES, separated by commas). What is not said by a flag is taken from the
environment, then from the profile, then from the defaults in parentheses.
Ctrl-C or SIGTERM lets requests finish and ends with 0; a second one does not wait.
With --verbose every request shows, and where an error came from.

Examples:
  forge proxy
  forge proxy --backend-url http://127.0.0.1:8080 --model qwen3-8b
  forge proxy --gguf models/qwen3-8b-q4_k_m.gguf --budget-tokens 16384 -- --threads 8
  forge proxy --backend ollama --sessions --learn
  forge proxy init
  forge proxy check`;

/** `forge proxy`: guardrails between any client and any model server. */
export function addProxy(program: Command, context: CommandContext): void {
  const proxy = program
    .command('proxy')
    .description('stand between any client and a model server, and make its tool calls work')
    .argument('[flags...]', 'flags for a server that is started, after --');
  addServeFlags(addGuardFlags(addBackendFlags(addProfileFlags(proxy))));
  proxy
    .optionsGroup('Output:')
    .option('--json', 'print what happens as JSON, one object per line')
    .addHelpText('after', notes)
    .action(async (serverFlags: string[], options: ProxyFlags & { json?: boolean }) => {
      const [first] = serverFlags;
      if (first !== undefined && !first.startsWith('-')) {
        throw new UsageError(`There is no "forge proxy ${first}". There are: init, check.`);
      }
      // Loaded when asked for, so that `forge --help` does not wait for it.
      const { loadSettings } = await import('./proxy/load-settings.ts');
      const { serve } = await import('./proxy/serve.ts');
      const settings = loadSettings(options, context, serverFlags);
      const verbose = program.opts().verbose === true;
      await serve(settings, { context, verbose, json: options.json ?? false });
    });
  // The flags of "forge proxy" are not global: its commands have those that concern them.
  proxy.configureHelp({
    ...proxy.configureHelp(),
    visibleGlobalOptions: () => program.options.filter(({ hidden }) => !hidden),
  });
  addInit(proxy, context);
  addCheck(proxy, context);
}
