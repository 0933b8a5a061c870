import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import { backendNames } from './sandbox/backends.ts';

export interface OrchestratorFlags {
  readonly listen: string;
  readonly backend: (typeof backendNames)[number] | 'auto';
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsClientCa?: string;
  readonly open?: boolean;
  readonly containers?: number;
  readonly containersPerClient?: number;
  readonly idle?: number;
  readonly network?: readonly string[];
  readonly registry?: readonly string[];
  readonly buildNetwork?: boolean;
  readonly logLevel?: string;
  readonly json?: boolean;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const notes = `
The calls are in the package @forge/sandbox, proto/forge/orchestrator/v1/orchestrator.proto.
Whoever reaches more than this machine needs TLS and a token, unless --open says otherwise.
The token file holds one token, or lines of NAME=TOKEN, each with containers of its own.
FORGE_LOG_LEVEL sets the log level where --log-level does not.
Ctrl-C or SIGTERM lets calls finish, removes every container and ends with 0.

Examples:
  forge orchestrator
  forge orchestrator --listen 127.0.0.1:7070 --backend docker --token-file token
  forge orchestrator --listen 0.0.0.0:7070 --token-file token --tls-cert cert.pem --tls-key key.pem`;

/** `forge orchestrator`: sandboxes for workers on other machines. */
export function addOrchestrator(program: Command, context: CommandContext): void {
  program
    .command('orchestrator')
    .description('serve sandboxes to other machines, over gRPC')
    .option('--listen <address>', 'where to listen; port 0 takes a free one', '127.0.0.1:7070')
    .addOption(
      new Option('--backend <name>', 'what holds the sandboxes')
        .choices(['auto', ...backendNames.filter((name) => name !== 'remote')])
        .default('auto'),
    )
    .option('--token-file <path>', 'who may call')
    .option('--tls-cert <path>', 'the certificate of this server, in PEM')
    .option('--tls-key <path>', 'its key, in PEM')
    .option('--tls-client-ca <path>', 'callers need a certificate of this authority')
    .option('--open', 'let other machines in without TLS or token')
    .option('--containers <number>', 'most of all callers together', readWhole)
    .option('--containers-per-client <number>', 'most of one token', readWhole)
    .option('--idle <seconds>', 'how long containers outlive their caller', readWhole)
    .addOption(
      new Option(
        '--network <kinds...>',
        'networks that may be asked for (default: none, allow)',
      ).choices(['none', 'allow', 'full']),
    )
    .option('--registry <hosts...>', 'registries images may be pushed to (default: no registry)')
    .option('--build-network', 'let builds use the network')
    .addOption(
      new Option('--log-level <level>', 'how much is said (default: info)').choices(levels),
    )
    .option('--json', 'print what happens as JSON, one object per line')
    .addHelpText('after', notes)
    .action(async (flags: OrchestratorFlags) => {
      const { serve } = await import('./orchestrator/serve.ts');
      await serve(flags, context);
    });
}

function readWhole(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number above 0, such as 32.');
}
