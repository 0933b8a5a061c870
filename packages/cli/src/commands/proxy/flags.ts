import { type Command, Option } from 'commander';
import {
  type BackendName,
  type BudgetModeName,
  backendKinds,
  budgetModes,
  type WireName,
  wireNames,
} from '../../project/proxy-names.ts';
import {
  readCount,
  readPort,
  readReplay,
  readSeconds,
  readSecret,
  readSize,
  readSome,
  readUrl,
} from './read-values.ts';

/** Which backend, and how it is asked. */
export interface BackendFlags {
  readonly backendUrl?: string;
  readonly backend?: BackendName;
  readonly backendWire?: WireName;
  readonly model?: string;
  readonly gguf?: string;
  readonly modelPath?: string;
  readonly backendPort?: number;
  readonly budgetMode?: BudgetModeName;
  readonly budgetTokens?: number;
  readonly backendCapability?: 'native' | 'prompt';
  readonly backendTimeout?: number;
  readonly backendApiKey?: string;
}

export interface GuardFlags {
  readonly maxRetries?: number;
  readonly rescue?: boolean;
  readonly injectRespondTool?: boolean;
  readonly reasoningReplay?: 'as_sent' | 'none' | 'last' | 'full';
  readonly constrain?: 'off' | 'on-retry' | 'always';
}

export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly apiKey?: string;
  /** `true` for one at a time. */
  readonly serialize?: boolean | number;
  readonly sessions?: boolean;
  readonly maxToolErrors?: number;
  /** `true` for the usual file. */
  readonly learn?: boolean | string;
  readonly workers?: number;
  readonly maxBody?: number;
  readonly concurrency?: number;
  readonly queue?: number;
}

export interface ProfileFlags {
  readonly profile?: string;
  readonly config?: string;
}

export type ProxyFlags = BackendFlags & GuardFlags & ServeFlags & ProfileFlags;

// No flag has a default here: what is not said on the command line may be said elsewhere.

export function addBackendFlags(command: Command): Command {
  return command
    .optionsGroup('Backend:')
    .option('--backend-url <url>', 'a server that runs (default: one is looked for)', readUrl)
    .addOption(new Option('--backend <kind>', 'what it is, or what to start').choices(backendKinds))
    .addOption(
      new Option('--backend-wire <wire>', 'what it speaks (default: by its kind)').choices(
        wireNames,
      ),
    )
    .option('--model <name>', 'ask for this model, whatever the client says')
    .option('--gguf <file>', 'start llamaserver or llamafile with this model')
    .option('--model-path <path>', 'the same; for vllm a folder or a name on the hub')
    .option('--backend-port <number>', 'its port, if it is started or looked for here', readPort)
    .addOption(
      new Option('--budget-mode <mode>', 'context window of a server that is started').choices(
        budgetModes,
      ),
    )
    .option('--budget-tokens <number>', 'that window in tokens', readSome)
    .addOption(
      new Option(
        '--backend-capability <how>',
        'tools natively, or described in the prompt (default: native)',
      ).choices(['native', 'prompt']),
    )
    .option('--backend-timeout <seconds>', 'silence before it is given up on (300)', readSeconds)
    .option(
      '--backend-api-key <key>',
      'sent to it; better in FORGE_BACKEND_API_KEY: others can see a command line',
      readSecret,
    );
}

export function addGuardFlags(command: Command): Command {
  return command
    .optionsGroup('Guardrails:')
    .option('--max-retries <number>', 'refused replies in a row before giving up (3)', readCount)
    .option('--rescue', 'find tool calls in text (on)')
    .option('--no-rescue', 'leave text alone')
    .option('--inject-respond-tool', 'offer a tool to answer with (off)')
    .option('--no-inject-respond-tool', 'offer the tools of the client only')
    .option('--reasoning-replay <how>', 'earlier reasoning: as-sent, none, last, full', readReplay)
    .addOption(
      new Option('--constrain <when>', 'hold replies to the shape of a call (on-retry)').choices([
        'off',
        'on-retry',
        'always',
      ]),
    );
}

export function addServeFlags(command: Command): Command {
  return command
    .optionsGroup('Server:')
    .option('--host <address>', 'the address to listen on (127.0.0.1)')
    .option('--port <number>', 'the port to listen on (8081)', readPort)
    .option(
      '--api-key <key>',
      'callers have to send it; better in FORGE_PROXY_API_KEY: others can see a command line',
      readSecret,
    )
    .option('--serialize [number]', 'requests one after the other, or as many at once', readSome)
    .option('--no-serialize', 'all at once (default, unless a one-slot server is started)')
    .option('--sessions', 'remember steps and budgets from request to request (off)')
    .option('--no-sessions', 'remember nothing')
    .option('--max-tool-errors <number>', 'failed calls in a row in a session (2)', readCount)
    .option('--learn [file]', 'keep what works for each model (off)')
    .option('--no-learn', 'keep nothing')
    .option('--workers <number>', 'processes that share the work (1)', readSome)
    .option('--max-body <size>', 'the largest request (64MiB)', readSize)
    .option('--concurrency <number>', 'requests at the backend at once (256)', readSome)
    .option('--queue <number>', 'requests that may wait for that (1024)', readCount);
}

export function addProfileFlags(command: Command): Command {
  return command
    .optionsGroup('Profile:')
    .option('--profile <name>', 'a profile of forge.yaml (default: the one it names)')
    .option('--config <path>', 'that file (default: forge.yaml here or above)');
}
