import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../../context.ts';
import { UsageError } from '../../usage-error.ts';

interface ServeOptions {
  readonly http?: number;
  readonly tokenEnv?: string;
  readonly readOnly?: boolean;
  readonly store?: string;
}

const notes = `
It starts runs of the project it is started in, shows runs, decides what they ask for and searches what
they remember; "forge worker" works on them. Whoever may talk to it may do that: give --read-only to
clients that are models themselves and should not say yes to their own calls.

Examples:
  forge mcp serve --read-only
  FORGE_MCP_TOKEN=… forge mcp serve --http 7780 --token-env FORGE_MCP_TOKEN`;

/** `forge mcp serve`: Forge itself as an MCP server. */
export function addServe(mcp: Command, context: CommandContext): void {
  mcp
    .command('serve')
    .description('let MCP clients start and see runs, over standard input and output or HTTP')
    .option('--http <port>', 'serve over HTTP on this port of 127.0.0.1 (0: a free one)', readPort)
    .option('--token-env <name>', 'the variable that holds the token HTTP clients have to send')
    .option('--read-only', 'looking only: nothing can be started or decided')
    .option(
      '--store <address>',
      'where runs are kept (default: as for all commands, "forge config store")',
    )
    .addHelpText('after', notes)
    .action((options: ServeOptions) => serve(options, context));
}

async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  const { config, signal, endsWellWhenStopped } = context;
  const { http, tokenEnv, readOnly = false } = options;
  const token = tokenEnv === undefined ? undefined : config.variable(tokenEnv);
  if (tokenEnv !== undefined && http === undefined) {
    throw new UsageError('--token-env is for --http: over standard input there is nobody else.');
  }
  if (tokenEnv !== undefined && token === undefined) {
    throw new UsageError(
      `The variable ${tokenEnv} is not set. Set it to the token, or leave --token-env out.`,
    );
  }
  if (http !== undefined && token === undefined && !readOnly) {
    throw new UsageError(
      'Over HTTP every program of this machine could start runs and approve calls. Give --token-env, or --read-only.',
    );
  }
  const [{ createForgeServer }, { withWorkshop }, { readVersion }] = await Promise.all([
    import('../../mcp-server/create-forge-server.ts'),
    import('../../runs/with-workshop.ts'),
    import('../../version.ts'),
  ]);
  const { store } = options;
  await withWorkshop(context, { flags: store === undefined ? {} : { store } }, async (workshop) => {
    endsWellWhenStopped();
    const by = http === undefined ? 'mcp:stdio' : 'mcp:http';
    const newServer = () => createForgeServer({ workshop, version: readVersion(), by, readOnly });
    const onError = (error: Error) => context.terminal().err(`mcp: ${error.message}`);
    if (http === undefined) {
      await serveStandardStreams({ newServer, signal, onError });
      return;
    }
    const { serveHttp } = await import('../../mcp-server/serve-http.ts');
    const server = await serveHttp({ newServer, port: http, token, onError });
    context.terminal().out(server.url);
    await aborted(signal);
    await server.close();
  });
}

/** Until the client closes our input, or we are stopped. */
async function serveStandardStreams({
  newServer,
  signal,
  onError,
}: {
  readonly newServer: () => import('@modelcontextprotocol/server').McpServer;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
}): Promise<void> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const ended = Promise.withResolvers<void>();
  process.stdin.once('close', () => ended.resolve()).once('end', () => ended.resolve());
  const transport = new StdioServerTransport();
  const server = serveStdio(newServer, { transport, onerror: onError });
  await Promise.race([ended.promise, aborted(signal)]);
  await server.close();
  process.stdin.destroy();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It is 0 to 65535.');
  return port;
}
