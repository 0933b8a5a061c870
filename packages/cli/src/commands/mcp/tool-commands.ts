import { neutralise } from '@forge/core';
import type { PinInfo } from '@forge/tools/mcp';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printable } from '../../printable.ts';
import { withHub } from './with-hub.ts';

/** `forge mcp tools` and `forge mcp pins`. */
export function addToolCommands(mcp: Command, context: CommandContext): void {
  mcp
    .command('tools')
    .description('the tools of all servers, or of one: what a model is offered, and why not')
    .argument('[server]')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge mcp tools notes')
    .action((server: string | undefined, { json = false }: { json?: boolean }) =>
      withHub(context, async (hub) => {
        const names = hub
          .servers()
          .filter(({ state, name }) => state !== 'disabled' && (server ?? name) === name);
        await Promise.all(names.map(({ name }) => hub.retry(name).catch(() => undefined)));
        await hub.ready(context.signal);
        const tools = hub
          .toolList()
          .filter((tool) => server === undefined || tool.server === server);
        const terminal = context.terminal();
        if (json) {
          terminal.out(JSON.stringify(tools));
          return;
        }
        if (tools.length === 0) terminal.out('No tools are known.');
        for (const { name, error } of hub.servers()) {
          if (error === undefined || (server ?? name) !== name) continue;
          terminal.err(`${printable(name)} failed: ${printable(error, 500)}`);
        }
        for (const { name, state, needsApproval, reason, definition } of tools) {
          const asks = state === 'offered' && needsApproval ? ', every call needs a yes' : '';
          terminal.out(`${terminal.style('bold', name)}  ${state}${asks}`);
          const about = reason ?? definition.description?.split('\n')[0];
          if (about !== undefined) terminal.out(`  ${printable(about)}`);
        }
      }),
    );
  addPins(mcp, context);
}

function addPins(mcp: Command, context: CommandContext) {
  mcp
    .command('pins')
    .description('what was agreed to about tools, and what changed since')
    .argument('[server]')
    .argument('[tool]', "by the server's own name; shows the difference")
    .option('--approve', 'agree to the tool, or to all of the server, as they are now')
    .option('--hash <hash>', 'agree only if this is still its definition')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  forge mcp pins\n  forge mcp pins notes update\n  forge mcp pins notes update --approve',
    )
    .action(
      (
        server: string | undefined,
        tool: string | undefined,
        options: { approve?: boolean; hash?: string; json?: boolean },
      ) =>
        withHub(context, async (hub) => {
          const { approve = false, json = false, hash } = options;
          const pins =
            approve && server !== undefined
              ? await hub.pins.approve(server, tool, hash)
              : hub.pins.list(server).filter((pin) => tool === undefined || pin.tool === tool);
          if (!approve && pins.some(({ state }) => state === 'changed'))
            context.endWith(exitCodes.failed);
          const terminal = context.terminal();
          if (json) {
            terminal.out(JSON.stringify(pins));
            return;
          }
          if (pins.length === 0) terminal.out('No tools were seen yet.');
          for (const pin of pins) showPin(pin, tool !== undefined, terminal);
        }),
    );
}

function showPin(
  { server, tool, state, hash, diff }: PinInfo,
  whole: boolean,
  terminal: ReturnType<CommandContext['terminal']>,
) {
  terminal.out(
    `${terminal.style('bold', printable(`${server}/${tool}`))}  ${state}  ${whole ? hash : hash.slice(0, 12)}`,
  );
  if (diff === undefined) return;
  if (whole) terminal.out(neutralise(diff));
  else terminal.out(`  It changed and is blocked: forge mcp pins ${server} ${tool}`);
}
