import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addAdd } from './mcp/add-command.ts';
import { addServe } from './mcp/serve-command.ts';
import { addServerCommands } from './mcp/server-commands.ts';
import { addToolCommands } from './mcp/tool-commands.ts';

const notes = `
Servers are kept for the user; a project has its own under mcp in forge.yaml, by name, with the
same fields.

Examples:
  forge mcp add files -- npx -y @modelcontextprotocol/server-filesystem /home/me/notes
  forge mcp list --connect
  forge mcp tools files
  forge mcp serve --read-only`;

/** `forge mcp`: tools of MCP servers, and Forge as one. */
export function addMcp(program: Command, context: CommandContext): void {
  const mcp = program
    .command('mcp')
    .description('tools of MCP servers, and Forge as one')
    .addHelpText('after', notes);
  addAdd(mcp, context);
  addServerCommands(mcp, context);
  addToolCommands(mcp, context);
  addServe(mcp, context);
}
