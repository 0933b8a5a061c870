import { Command } from 'commander';
import { addBackend } from './commands/backend.ts';
import { addDemo } from './commands/demo.ts';
import { addMcp } from './commands/mcp.ts';
import { addOrchestrator } from './commands/orchestrator.ts';
import { addPlugin } from './commands/plugin.ts';
import { addProxy } from './commands/proxy.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addTools } from './commands/tools.ts';
import type { CommandContext } from './context.ts';
import { exitCodeHelp } from './exit-codes.ts';
import { readVersion } from './version.ts';

/** Every command of `forge`. A new one is a file in `commands/` and a line here. */
const commands = [
  addDemo,
  addProxy,
  addBackend,
  addMcp,
  addPlugin,
  addTools,
  addSandbox,
  addOrchestrator,
];

/** The command line as a whole. It throws a CommanderError where it would end the process. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('forge')
    .description('Agents that finish.')
    .version(readVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--verbose', 'print where an error came from')
    .option('--no-color', 'plain text')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.terminal().out(text.trimEnd()),
      writeErr: (text) => context.terminal().err(text.trimEnd()),
      getOutHelpWidth: () => context.terminal().columns,
      getErrHelpWidth: () => context.terminal().columns,
    })
    .addHelpText('after', exitCodeHelp)
    .showHelpAfterError('Run "forge --help" to see what there is.')
    .exitOverride();
  for (const add of commands) add(program, context);
  return program;
}
