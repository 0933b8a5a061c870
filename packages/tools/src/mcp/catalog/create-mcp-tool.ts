import { externalTool, ForgeError, type Tool } from '@forge/core';
import type { Results } from '../../results/index.ts';
import type { McpServerConfig } from '../config/mcp-config.ts';
import type { Connection } from '../connection/connection.ts';
import { ServerError } from '../connection/server-error.ts';
import type { McpToolInfo } from './build-catalog.ts';
import { showResult } from './show-result.ts';
import { shownDefinition } from './shown-definition.ts';

export interface McpToolOptions {
  readonly info: McpToolInfo;
  readonly config: McpServerConfig;
  readonly connection: () => Connection;
  readonly results: Results;
  /** The tool as it is known at the moment of the call. */
  readonly current: () => McpToolInfo | undefined;
  /** A call of it was approved and begins. */
  readonly onUse: () => Promise<void>;
}

/**
 * A server's tool as one of ours: its arguments are checked, a person is asked, and budgets and
 * rules hold as for any other. What the server says about it being harmless is no permission; only
 * for a trusted server is it believed that a call may be repeated after a crash.
 */
export function createMcpTool(options: McpToolOptions): Tool {
  const { info, config, connection, results, current, onUse } = options;
  const { server, tool, name, hash, definition } = info;
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  const limits = { ...config.timeouts, ...config.toolTimeouts[tool] };
  const check = () => refuseUnlessSame(current(), { name, hash });
  return {
    ...externalTool(shownDefinition(server, name, definition)),
    idempotent: config.trust === 'trusted' && (readOnlyHint === true || idempotentHint === true),
    needsApproval: () => current()?.needsApproval ?? true,
    run: async (args, { signal, askPerson }) => {
      check();
      await onUse();
      const call = connection().call({
        tool: {
          name: tool,
          inputSchema: { ...definition.inputSchema, type: 'object' },
          ...(isSchemaObject(definition.outputSchema) && { outputSchema: definition.outputSchema }),
        },
        name,
        args,
        limits,
        signal,
        askPerson,
        check,
      });
      const result = await call.catch((error) => throwMarked(error, { server, results }));
      return await showResult({ result, server, results });
    },
  };
}

/** What a server says in an error is from outside like all it says. */
async function throwMarked(
  error: unknown,
  { server, results }: { readonly server: string; readonly results: Results },
): Promise<never> {
  if (!(error instanceof ServerError)) throw error;
  const { said: content, note } = error;
  const said = await results.show({ content, untrusted: `MCP server ${server}`, whole: true });
  const message = `MCP server "${server}" failed:\n${said}\n${note}`.trimEnd();
  throw new ForgeError('tool_failed', message, { cause: error });
}

/** What was approved is what runs, or nothing does. */
function refuseUnlessSame(
  now: McpToolInfo | undefined,
  { name, hash }: { readonly name: string; readonly hash: string },
): void {
  if (now === undefined) {
    throw new ForgeError('not_found', `${name} is no longer there: its server took it away.`);
  }
  if (now.state !== 'offered') {
    throw new ForgeError('not_allowed', `${name} may not be called. ${now.reason ?? ''}`.trim());
  }
  if (now.hash !== hash) {
    throw new ForgeError(
      'not_allowed',
      `${name} changed since this call was decided. Decide again.`,
    );
  }
}

function isSchemaObject(value: unknown): value is Record<string, unknown> & { type: 'object' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'object';
}
