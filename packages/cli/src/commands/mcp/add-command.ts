import type { McpServerInput } from '@forge/tools/mcp';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { UsageError } from '../../usage-error.ts';
import { showReport } from './show-report.ts';
import { withHub } from './with-hub.ts';

interface AddOptions {
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly trust?: 'ask' | 'trusted';
  readonly quarantine?: boolean;
  readonly lazy?: boolean;
  readonly clientId?: string;
  readonly replace?: boolean;
  readonly test: boolean;
  readonly json?: boolean;
}

const examples = `
Values of --env and --header may refer to variables, so that no secret is written down:
\${env:NAME}. What the server's tools are is looked at once, and a tool that changes later is
blocked until "forge mcp pins" has been used to look at the difference.

Examples:
  forge mcp add files -- npx -y @modelcontextprotocol/server-filesystem /home/me/notes
  forge mcp add notes http://127.0.0.1:7781/mcp --header 'Authorization: Bearer \${env:NOTES_TOKEN}'`;

/** `forge mcp add`: a program to start, or an address. */
export function addAdd(mcp: Command, context: CommandContext): void {
  const collect = (value: string, before: readonly string[]) => [...before, value];
  mcp
    .command('add')
    .description('add a server: an address, or after -- a program to start')
    .argument('<name>', 'what to call it; its tools are named <name>__<tool>')
    .argument('<address-or-command...>', 'a URL, or a program and its arguments')
    .option('--env <NAME=value>', 'a variable for the program; may be given again', collect, [])
    .option('--header <Name: value>', 'a header for the address; may be given again', collect, [])
    .option('--cwd <folder>', 'where the program is started')
    .addOption(
      new Option('--trust <how>', 'whether calls need a yes each (ask)').choices([
        'ask',
        'trusted',
      ]),
    )
    .option('--quarantine', 'hide tools until they are approved with "forge mcp pins"')
    .option('--lazy', 'connect at the first call only')
    .option('--client-id <id>', 'the OAuth client to log in as, where the server registers none')
    .option('--replace', 'put it in the place of one of that name')
    .option('--no-test', 'do not connect to it now')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples)
    .action(async (name: string, what: string[], options: AddOptions) => {
      const config = toConfig(what, options);
      await withHub(context, async (hub) => {
        await hub.add(name, config, { replace: options.replace });
        const terminal = context.terminal();
        if (!options.test) {
          terminal.out(options.json ? JSON.stringify({ name }) : `${name} is added.`);
          return;
        }
        const report = await hub.test(name, { signal: context.signal });
        if (!report.ok) context.endWith(exitCodes.failed);
        showReport(terminal, { name, report, json: options.json ?? false });
        if (!report.ok) {
          terminal.err(
            `${name} is added, and will be tried again. "forge mcp remove ${name}" takes it out.`,
          );
        }
      });
    });
}

function toConfig([first = '', ...args]: readonly string[], options: AddOptions): McpServerInput {
  const shared = {
    ...(options.trust && { trust: options.trust }),
    ...(options.quarantine && { newTools: 'quarantine' as const }),
    ...(options.lazy && { lazy: true }),
  };
  if (/^https?:\/\//i.test(first)) {
    if (args.length > 0)
      throw new UsageError('An address has no arguments. Put a program after --.');
    if (options.env.length > 0)
      throw new UsageError('--env is for a program; an address takes --header.');
    const headers = pairs(options.header, ':', '--header');
    const oauth = options.clientId && { oauth: { clientId: options.clientId } };
    return { type: 'http', url: first, headers, ...oauth, ...shared };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(first))
    throw new UsageError(
      `"${first}" is no address of a server: one begins with http:// or https://.`,
    );
  if (options.header.length > 0)
    throw new UsageError('--header is for an address; a program takes --env.');
  const { cwd } = options;
  const env = pairs(options.env, '=', '--env');
  return { type: 'stdio', command: first, args, env, ...(cwd && { cwd }), ...shared };
}

function pairs(texts: readonly string[], mark: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(mark);
      if (at <= 0)
        throw new UsageError(`${flag} "${text}" has no "${mark}" between name and value.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
