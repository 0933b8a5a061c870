import type { McpServerConfig } from '../config/mcp-config.ts';
import { type Pin, type PinState, pinState } from '../pins/pin-records.ts';
import { definitionHash, type McpToolDefinition } from './mcp-tool-definition.ts';
import { toolName } from './tool-name.ts';

/**
 * - `offered`: a model may call it.
 * - `disabled`: turned off, or its server is.
 * - `not_allowed`: its server's `allowedTools` does not name it.
 * - `quarantined`: nobody has agreed to it, and the server's settings ask for that.
 * - `changed`: not what was agreed to; blocked until somebody looks at the difference.
 * - `clash`: another tool comes to the same name.
 */
export type McpToolState =
  | 'offered'
  | 'disabled'
  | 'not_allowed'
  | 'quarantined'
  | 'changed'
  | 'clash';

export interface McpToolInfo {
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** What a model calls it by. */
  readonly name: string;
  readonly state: McpToolState;
  /** Why it is not offered, and what to do about it. */
  readonly reason?: string;
  readonly pin: PinState;
  /** Whether a person has to agree to every call. */
  readonly needsApproval: boolean;
  readonly hash: string;
  readonly definition: McpToolDefinition;
}

export interface CatalogServer {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly tools: readonly McpToolDefinition[];
  readonly findPin: (tool: string) => Pin | undefined;
}

/** All tools of all servers, each with what may be done with it. Pure. */
export function buildCatalog(servers: readonly CatalogServer[]): McpToolInfo[] {
  const all = servers.flatMap((entry) => entry.tools.map((tool) => describeTool(entry, tool)));
  const byName = Map.groupBy(all, ({ name }) => name);
  return all.map((info) => {
    const rivals = byName.get(info.name) ?? [];
    if (rivals.length < 2) return info;
    const names = rivals
      .map(({ server, tool }) => JSON.stringify(`${server}/${tool}`))
      .join(' and ');
    const reason = `${names} both come to the name ${info.name}, so neither is offered. Disable one server.`;
    return { ...info, state: 'clash', reason };
  });
}

function describeTool(entry: CatalogServer, definition: McpToolDefinition): McpToolInfo {
  const { server, config, findPin } = entry;
  const hash = definitionHash(definition);
  const found = findPin(definition.name);
  const pin = found === undefined ? 'new' : found.hash === hash ? pinState(found) : 'changed';
  return {
    server,
    tool: definition.name,
    name: toolName(server, definition.name),
    ...judge({ config, pin, isSeen: found !== undefined, tool: definition.name, server }),
    pin,
    needsApproval: config.trust !== 'trusted' || pin !== 'approved',
    hash,
    definition,
  };
}

function judge({
  server,
  config,
  pin,
  isSeen,
  tool,
}: {
  server: string;
  config: McpServerConfig;
  pin: PinState;
  isSeen: boolean;
  tool: string;
}): { readonly state: McpToolState; readonly reason?: string } {
  if (!config.enabled) return { state: 'disabled', reason: `Server "${server}" is disabled.` };
  if (config.disabledTools.includes(tool))
    return { state: 'disabled', reason: 'It is turned off.' };
  if (config.allowedTools?.includes(tool) === false) {
    return { state: 'not_allowed', reason: `allowedTools of "${server}" does not name it.` };
  }
  if (pin === 'changed') {
    const reason = `Its definition changed since it was agreed to. Look at it: forge mcp pins ${server}`;
    return { state: 'changed', reason };
  }
  // One that is not on record yet could change unnoticed: it waits until it is.
  if (!isSeen) return { state: 'quarantined', reason: 'It is being put on record.' };
  if (pin === 'new' && config.newTools === 'quarantine') {
    const reason = `Nobody has agreed to it yet. Look at it: forge mcp pins ${server}`;
    return { state: 'quarantined', reason };
  }
  return { state: 'offered' };
}
