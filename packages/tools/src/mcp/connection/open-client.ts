import { untilAborted } from '@forge/core';
import {
  Client,
  SdkError,
  SdkErrorCode,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../config/mcp-config.ts';
import { type AnswerOptions, answerServer, capabilitiesOf } from './answer-server.ts';
import { schemaValidator } from './schema-validator.ts';

export interface OpenClientOptions extends AnswerOptions {
  readonly config: McpServerConfig;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** A fresh one for each try: a process that died of the first question is started again. */
  readonly createTransport: () => Transport;
  readonly signal: AbortSignal;
}

export interface OpenedClient<T extends Transport = Transport> {
  readonly client: Client;
  readonly transport: T;
}

/**
 * A client that has agreed on a protocol with its server. The newest revision is tried first. Some
 * old local servers end on a question they do not know: those are started anew and asked the old way.
 */
export async function openClient(options: OpenClientOptions): Promise<OpenedClient> {
  const { config, signal } = options;
  const mode = modeOf(config);
  try {
    return await open(options, mode);
  } catch (error) {
    if (mode !== 'auto' || config.type !== 'stdio' || signal.aborted || !isProbeFailure(error)) {
      throw error;
    }
    return await open(options, 'legacy');
  }
}

function modeOf({ protocol }: McpServerConfig): VersionNegotiationMode {
  if (protocol === 'auto') return 'auto';
  return protocol === '2025-11-25' ? 'legacy' : { pin: protocol };
}

function isProbeFailure(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === SdkErrorCode.EraNegotiationFailed;
}

async function open(
  options: OpenClientOptions,
  mode: VersionNegotiationMode,
): Promise<OpenedClient> {
  const { config, clientInfo, ports, createTransport, signal } = options;
  const { connect } = config.timeouts;
  const client = new Client(
    { ...clientInfo },
    {
      capabilities: capabilitiesOf(ports),
      jsonSchemaValidator: schemaValidator,
      // A local server may keep silent about what it does not know, and is then asked the old way.
      versionNegotiation: {
        mode,
        probe: { timeoutMs: config.type === 'stdio' ? Math.ceil(connect / 2) : connect },
      },
    },
  );
  answerServer(client, options);
  const transport = createTransport();
  try {
    await untilAborted(() => client.connect(transport, { timeout: connect, signal }), signal);
    return { client, transport };
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  }
}
