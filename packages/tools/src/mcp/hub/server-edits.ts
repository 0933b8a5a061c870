import { ForgeError, nearestNames, neutralise } from '@forge/core';
import { readServer } from '../config/read-server.ts';
import type { McpConfigStore } from '../mcp-files.ts';
import type { Pins } from '../pins/create-pins.ts';
import { editServer, type RawServers, removeServer, unknownServer } from './edit-servers.ts';
import type { McpHub } from './mcp-hub.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerRegistry } from './server-registry.ts';

export interface ServerEditsOptions {
  readonly config: McpConfigStore;
  /** Servers of the project, which are not ours to remove. */
  readonly fixed: RawServers;
  readonly registry: ServerRegistry;
  readonly pins: Pins;
  readonly at: (name: string) => ServerEntry;
  /** Makes what is stored so. */
  readonly reload: () => Promise<void>;
}

type ServerEdits = Pick<McpHub, 'add' | 'remove' | 'setEnabled' | 'setTrust' | 'setToolEnabled'>;

/** What people change about servers: stored first, then made so. */
export function createServerEdits(options: ServerEditsOptions): ServerEdits {
  const { config, fixed, registry, pins, at, reload } = options;
  const edit = async (name: string, fields: (entry: ServerEntry) => Record<string, unknown>) => {
    const entry = at(name);
    await config.update((file) => editServer(file, name, fields(entry)));
    await reload();
  };
  return {
    async add(name, input, { replace = false } = {}) {
      readServer(name, input);
      if (!replace && registry.names.includes(name)) {
        throw new ForgeError(
          'not_allowed',
          `There is an MCP server "${name}" already. Choose another name, or replace it.`,
        );
      }
      await config.update((file) => ({
        ...file,
        mcpServers: { ...file.mcpServers, [name]: input },
      }));
      await reload();
    },
    async remove(name) {
      if (!registry.names.includes(name)) throw unknownServer(name, registry.names);
      if (Object.hasOwn(fixed, name)) {
        throw new ForgeError(
          'not_allowed',
          `MCP server "${name}" is set up in the project's configuration. Remove it there, or disable it.`,
        );
      }
      await config.update((file) => removeServer(file, name));
      await registry.get(name)?.authorizer?.logout();
      await pins.forget(name);
      await reload();
    },
    setEnabled: (name, enabled) => edit(name, () => ({ enabled })),
    setTrust: (name, trust) => edit(name, () => ({ trust })),
    setToolEnabled: (server, tool, enabled) =>
      edit(server, ({ origin, config: { disabledTools } }) => {
        const known = pins.known(server, origin).map(({ name }) => name);
        if (!disabledTools.includes(tool)) checkToolName(server, tool, known);
        return {
          disabledTools: enabled
            ? disabledTools.filter((name) => name !== tool)
            : [...new Set([...disabledTools, tool])],
        };
      }),
  };
}

/** A slip of the pen must not pass for a tool that is switched off. */
function checkToolName(server: string, tool: string, known: readonly string[]): void {
  if (known.length === 0 || known.includes(tool)) return;
  const near = nearestNames(tool, known);
  const names = neutralise((near.length > 0 ? near : known.slice(0, 10)).join(', '));
  const message = `MCP server "${server}" has no tool "${tool}". It has: ${names}.`;
  throw new ForgeError('not_found', message);
}
