import type { Availability } from '@forge/sandbox';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.ts';
import type { Terminal } from '../../terminal.ts';
import { makers } from './makers.ts';

/** `forge sandbox check`: what can hold a sandbox on this machine, and what it cannot hold. */
export function addCheck(sandbox: Command, { terminal: getTerminal, signal }: CommandContext) {
  sandbox
    .command('check')
    .description('which backends work here, and what they cannot hold')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  forge sandbox check')
    .action(async ({ json = false }: { json?: boolean }) => {
      const terminal = getTerminal();
      const found: Record<string, Availability> = {};
      for (const [name, make] of Object.entries(await makers())) {
        const backend = make();
        try {
          found[name] = await backend.probe(signal);
        } finally {
          await backend.close();
        }
      }
      if (json) terminal.out(JSON.stringify(found));
      else for (const [name, probe] of Object.entries(found)) print(terminal, name, probe);
    });
}

function print(terminal: Terminal, name: string, probe: Availability): void {
  if (!probe.available) {
    terminal.out(`${terminal.style('red', name)}  ${probe.problem}`);
    terminal.out(`  ${probe.fix}`);
    return;
  }
  terminal.out(`${terminal.style('green', name)}  ${probe.version}`);
  for (const line of probe.cannot) terminal.out(`  ${line}`);
}
