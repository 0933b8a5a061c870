import type { Command } from 'commander';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printable } from '../../printable.ts';
import { showReport } from './show-report.ts';
import { withHub } from './with-hub.ts';

/** `forge mcp list`, `test`, `enable`, `disable`, `remove`, `login`, `logout`. */
export function addServerCommands(mcp: Command, context: CommandContext): void {
  addList(mcp, context);
  addTest(mcp, context);
  addSwitch(mcp, context, 'enable');
  addSwitch(mcp, context, 'disable');
  mcp
    .command('remove')
    .description('take a server out, with what was agreed to about its tools and its login')
    .argument('<server>')
    .addHelpText('after', '\nExample:\n  forge mcp remove notes')
    .action((server: string) =>
      withHub(context, async (hub) => {
        await hub.remove(server);
        context.terminal().out(`${server} is removed.`);
      }),
    );
  addLogin(mcp, context);
}

function addList(mcp: Command, context: CommandContext) {
  mcp
    .command('list')
    .description('the servers: where they are, whether they are on, what they are trusted with')
    .option('--connect', 'connect to each and show whether it answers')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge mcp list --connect')
    .action(({ connect = false, json = false }: { connect?: boolean; json?: boolean }) =>
      withHub(context, async (hub) => {
        const terminal = context.terminal();
        const servers = await Promise.all(
          hub.servers().map(async (server) => {
            if (!connect || server.state === 'disabled' || server.config === undefined)
              return server;
            const { status, tools } = await hub.test(server.name, { signal: context.signal });
            return { ...status, tools: tools.length };
          }),
        );
        if (connect && servers.some(({ state }) => state === 'failed'))
          context.endWith(exitCodes.failed);
        if (json) {
          terminal.out(JSON.stringify(servers));
          return;
        }
        if (servers.length === 0)
          terminal.out('There are no servers. Add one with "forge mcp add".');
        for (const { name, state, config, error } of servers) {
          const where =
            config === undefined
              ? ''
              : 'url' in config
                ? config.url
                : [config.command, ...config.args].join(' ');
          // Without a connection only what is switched off is known.
          const shown = connect || state === 'disabled' || config === undefined ? state : 'enabled';
          terminal.out(
            `${terminal.style('bold', name)}  ${shown}  ${where}${error === undefined ? '' : `  ${printable(error, 500)}`}`,
          );
        }
      }),
    );
}

function addTest(mcp: Command, context: CommandContext) {
  mcp
    .command('test')
    .description('connect to a server now and list its tools; changes nothing')
    .argument('<server>')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  forge mcp test notes')
    .action((name: string, { json = false }: { json?: boolean }) =>
      withHub(context, async (hub) => {
        const report = await hub.test(name, { signal: context.signal });
        if (!report.ok) context.endWith(exitCodes.failed);
        showReport(context.terminal(), { name, report, json });
      }),
    );
}

function addSwitch(mcp: Command, context: CommandContext, word: 'enable' | 'disable') {
  mcp
    .command(word)
    .description(`${word} a server, or one of its tools; running agents notice at once`)
    .argument('<server>')
    .argument('[tool]', "by the server's own name")
    .addHelpText('after', `\nExample:\n  forge mcp ${word} notes update`)
    .action((server: string, tool: string | undefined) =>
      withHub(context, async (hub) => {
        const isOn = word === 'enable';
        if (tool === undefined) await hub.setEnabled(server, isOn);
        else await hub.setToolEnabled(server, tool, isOn);
        context.terminal().out(`${tool === undefined ? server : `${server}/${tool}`} is ${word}d.`);
      }),
    );
}

function addLogin(mcp: Command, context: CommandContext) {
  mcp
    .command('login')
    .description('log in to a server that asks for it (OAuth); prints the page to open')
    .argument('<server>')
    .addHelpText('after', '\nExample:\n  forge mcp login tracker')
    .action((server: string) =>
      withHub(context, async (hub) => {
        const terminal = context.terminal();
        const open = (url: string) => terminal.err(`Open this page to log in:\n  ${url}`);
        await hub.login(server, { open, signal: context.signal });
        terminal.out(`You are logged in to ${server}.`);
      }),
    );
  mcp
    .command('logout')
    .description('forget the login of a server')
    .argument('<server>')
    .addHelpText('after', '\nExample:\n  forge mcp logout tracker')
    .action((server: string) =>
      withHub(context, async (hub) => {
        await hub.logout(server);
        context.terminal().out(`The login of ${server} is forgotten.`);
      }),
    );
}
