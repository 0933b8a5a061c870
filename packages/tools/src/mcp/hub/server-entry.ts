import { createHash } from 'node:crypto';
import { canonicalJson } from '@forge/core';
import { createHide, type Hide, shownConfig } from '../config/hide-secrets.ts';
import { isStdio, type McpServerConfig } from '../config/mcp-config.ts';
import type { ReadVariable } from '../config/resolve-references.ts';
import { createBoundedFetch } from '../connection/bounded-fetch.ts';
import { Connection, type ConnectionStatus } from '../connection/connection.ts';
import type { ServerPorts } from '../connection/ports.ts';
import type { ReconnectPolicy } from '../connection/reconnect-delay.ts';
import type { McpTokenStore } from '../mcp-files.ts';
import { type Authorizer, createAuthorizer } from '../oauth/create-authorizer.ts';
import type { ProcessLedger } from '../processes/process-ledger.ts';
import { createTail } from '../processes/tail.ts';
import { createTransport } from './create-transport.ts';

/** A server as people are shown it. Holds no secrets. */
export interface McpServerStatus extends Omit<ConnectionStatus, 'state'> {
  readonly name: string;
  readonly state: ConnectionStatus['state'] | 'disabled';
  /** Its settings with secrets hidden; undefined if they could not be read. */
  readonly config?: McpServerConfig;
  /** How many of its tools a model is offered. */
  readonly offered: number;
  /** What is odd about its list of tools: parts left out, cut short, listed twice. */
  readonly notes: readonly string[];
}

export interface EntryContext {
  readonly ports: ServerPorts;
  readonly readVariable: ReadVariable;
  readonly ledger: ProcessLedger;
  readonly tokens: McpTokenStore;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly reconnect: ReconnectPolicy;
  readonly now: () => number;
  readonly random: () => number;
}

/** One configured server: how it is reached, and its connection. */
export interface ServerEntry {
  readonly name: string;
  /** Replaced when settings change that the connection does not depend on. */
  config: McpServerConfig;
  readonly connection: Connection;
  readonly authorizer: Authorizer | undefined;
  readonly hide: Hide;
  /** What the server is. Agreements about its tools and logins hold for this alone. */
  readonly origin: string;
  /** What it wrote beside the protocol, last lines, secrets hidden. */
  log(): string[];
}

export function createEntry(
  { name, config }: { readonly name: string; readonly config: McpServerConfig },
  context: EntryContext & { readonly onChange: () => void },
): ServerEntry {
  const { readVariable, tokens, now } = context;
  const hide = createHide(config, readVariable);
  const log = createTail();
  const authorizer = isStdio(config)
    ? undefined
    : createAuthorizer({
        server: name,
        config,
        stored: tokens,
        readVariable,
        now,
        fetch: createBoundedFetch({ url: config.url, headers: {}, mostMessageBytes: 1024 * 1024 }),
      });
  return {
    name,
    config,
    authorizer,
    hide,
    origin: originOf(config),
    log: () => log.lines().map(hide),
    connection: new Connection({
      ...context,
      server: name,
      config,
      hide,
      createTransport: () => createTransport({ ...context, config, log, authorizer }),
    }),
  };
}

export function originOf(config: McpServerConfig): string {
  const identity = isStdio(config)
    ? { command: config.command, args: config.args, cwd: config.cwd ?? null }
    : { url: config.url };
  return createHash('sha256').update(canonicalJson(identity)).digest('hex').slice(0, 16);
}

/** Whether a connection made for one config serves the other as well. */
export function isSameConnection(a: McpServerConfig, b: McpServerConfig): boolean {
  return connectionPart(a) === connectionPart(b);
}

function connectionPart(config: McpServerConfig): string {
  const { enabled, lazy, trust, newTools, allowedTools, disabledTools, toolTimeouts, ...rest } =
    config;
  return canonicalJson(rest);
}

export function statusOf(
  { name, config, connection }: ServerEntry,
  offered: number,
): McpServerStatus {
  const notes = connection.list?.notes ?? [];
  const shown = { name, config: shownConfig(config), offered, notes };
  const { state, ...status } = connection.status;
  return { ...shown, ...status, state: config.enabled ? state : 'disabled' };
}
