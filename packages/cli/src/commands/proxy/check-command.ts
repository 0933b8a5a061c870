import type { Command } from 'commander';
import type { CommandContext } from '../../context.ts';
import {
  addBackendFlags,
  addGuardFlags,
  addProfileFlags,
  type BackendFlags,
  type GuardFlags,
  type ProfileFlags,
} from './flags.ts';
import { flagsOf } from './flags-of.ts';

interface CheckFlags extends BackendFlags, GuardFlags, ProfileFlags {
  readonly json?: boolean;
}

const notes = `
A tool call is asked for twice: of the backend itself, and through the proxy. It ends with 1 if
none could be had either way.

Examples:
  forge proxy check
  forge proxy check --backend-url http://127.0.0.1:8080
  forge proxy check --profile work --json`;

/** `forge proxy check`: finds the backend, tries a tool call, says what it saw. */
export function addCheck(proxy: Command, context: CommandContext): void {
  const check = proxy
    .command('check')
    .description('find the backend, try a tool call, say what was seen and what to do')
    .argument('[flags...]', 'flags for a server that is started, after --');
  addGuardFlags(addBackendFlags(addProfileFlags(check)))
    .optionsGroup('Output:')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (serverFlags: string[]) => {
      const { json = false, ...flags } = flagsOf<CheckFlags>(check);
      const { loadSettings } = await import('./load-settings.ts');
      const { check: run } = await import('./check.ts');
      await run(loadSettings(flags, context, serverFlags), { context, json });
    });
}
