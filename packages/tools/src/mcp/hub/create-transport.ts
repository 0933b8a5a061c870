import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { isStdio, type McpServerConfig } from '../config/mcp-config.ts';
import { type ReadVariable, resolveReferences } from '../config/resolve-references.ts';
import { createBoundedFetch } from '../connection/bounded-fetch.ts';
import { StdioTransport } from '../connection/stdio-transport.ts';
import type { Authorizer } from '../oauth/create-authorizer.ts';
import type { ProcessLedger } from '../processes/process-ledger.ts';
import type { Tail } from '../processes/tail.ts';

export interface TransportOptions {
  readonly config: McpServerConfig;
  readonly readVariable: ReadVariable;
  readonly ledger: ProcessLedger;
  readonly log: Tail;
  /** For servers over HTTP. */
  readonly authorizer: Authorizer | undefined;
}

const mostMessageBytes = 10 * 1024 * 1024;
const grace = 2_000;

/** What a program cannot do without. Everything else of ours, keys above all, stays with us. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
];

/** A way to a server, not yet started. References are read now, so that changes count. */
export function createTransport(
  options: TransportOptions,
): Transport & { readonly ending?: string | undefined } {
  const { config, readVariable, ledger, log, authorizer } = options;
  if (isStdio(config)) {
    const { command, args, env, cwd } = config;
    return new StdioTransport({
      command,
      args,
      cwd,
      environment: { ...basics(readVariable), ...resolveReferences(env, readVariable) },
      admission: ledger.admit(),
      log,
      mostMessageBytes,
      grace,
    });
  }
  const headers = resolveReferences(config.headers, readVariable);
  const send = createBoundedFetch({ url: config.url, headers, mostMessageBytes });
  const hasOwnToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return new StreamableHTTPClientTransport(
    new URL(config.url),
    authorizer === undefined || hasOwnToken
      ? { fetch: send }
      : { fetch: authorizer.watch(send), authProvider: authorizer },
  );
}

function basics(readVariable: ReadVariable): Record<string, string> {
  const found = passedOn.map((name) => [name, readVariable(name)] as const);
  return Object.fromEntries(
    found.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
