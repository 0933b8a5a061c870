import type { McpHub } from '@forge/tools/mcp';
import type { CommandContext } from '../../context.ts';

/**
 * Opens the servers this user and project have, does something with them, and closes them whatever
 * happens. Nothing is connected to that the work does not ask for.
 */
export async function withHub<T>(
  { config, cwd }: CommandContext,
  work: (hub: McpHub) => Promise<T>,
): Promise<T> {
  const [{ createMcpHub, mcpFiles }, { readProject }] = await Promise.all([
    import('@forge/tools/mcp'),
    import('../../project/read-project.ts'),
  ]);
  const { configFolder, variable: readVariable } = config;
  const files = readProject({ cwd, configFolder });
  const servers = Object.assign({}, ...files.toReversed().map((file) => file.config.mcp));
  const hub = await createMcpHub({
    places: mcpFiles(configFolder),
    servers,
    readVariable,
    passive: true,
  });
  try {
    return await work(hub);
  } finally {
    await hub.close();
  }
}
