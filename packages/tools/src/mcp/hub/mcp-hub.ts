import type { Tool } from '@forge/core';
import type { McpToolInfo } from '../catalog/build-catalog.ts';
import type { McpToolDefinition } from '../catalog/mcp-tool-definition.ts';
import type { McpServerInput } from '../config/mcp-config.ts';
import type { LoginOptions } from '../oauth/create-authorizer.ts';
import type { McpPins } from '../pins/create-pins.ts';
import type { McpServerStatus } from './server-entry.ts';

/** The result of trying a server out. */
export interface McpTestReport {
  readonly ok: boolean;
  readonly status: McpServerStatus;
  readonly tools: readonly McpToolDefinition[];
  /** What it wrote beside the protocol. */
  readonly log: readonly string[];
}

/**
 * MCP servers and their tools, for as long as the hub is open. Servers come and go, fail and come
 * back; nothing here throws for that. Changes people make are kept and take effect at once, also
 * those another process makes to the same files.
 */
export interface McpHub {
  /** All servers with their state, by name. Nothing in it is secret. */
  servers(): McpServerStatus[];
  /** All known tools, with why some are not offered. */
  toolList(): McpToolInfo[];
  /**
   * The offered tools, ready for an agent; every call takes the way of all calls. The same array
   * until something changes.
   */
  tools(): readonly Tool[];
  /** Settles when every server that was being connected is, or has failed. Never for that reason rejects. */
  ready(signal: AbortSignal): Promise<void>;
  /** Called after anything changed. Returns how to stop. */
  onChange(listener: () => void): () => void;

  /** Adds a server, or with `replace` puts it in another's place. Throws `invalid_options`. */
  add(
    name: string,
    config: McpServerInput,
    options?: { readonly replace?: boolean },
  ): Promise<void>;
  /** Also forgets its approvals and its login. */
  remove(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /** By the server's own name of the tool. */
  setToolEnabled(server: string, tool: string, enabled: boolean): Promise<void>;
  setTrust(name: string, trust: 'ask' | 'trusted'): Promise<void>;
  /** Connects anew, now, however often it failed. */
  retry(name: string): Promise<void>;
  /** Connects to a server beside its usual connection and lists its tools. Changes nothing. */
  test(
    name: string,
    options: { readonly signal: AbortSignal; readonly config?: McpServerInput },
  ): Promise<McpTestReport>;
  /** The last lines a server wrote to stderr, secrets hidden. */
  log(name: string): string[];

  readonly pins: McpPins;

  /** Logs in to a server over HTTP, and connects again. */
  login(name: string, options: LoginOptions): Promise<void>;
  logout(name: string): Promise<void>;

  /** Disconnects all, and ends every process that was started. */
  close(): Promise<void>;
}
