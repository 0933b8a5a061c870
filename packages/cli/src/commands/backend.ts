import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';

const kinds = ['llamaserver', 'llamafile', 'ollama', 'vllm'] as const;

interface StartOptions {
  readonly kind: (typeof kinds)[number];
  readonly binary?: string;
  readonly host?: string;
  readonly port?: number;
  readonly context?: number;
  readonly parallel?: number;
  readonly kvCache?: string;
  readonly kvUnified?: boolean;
  readonly gpuLayers?: number;
  readonly timeout?: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  forge backend start models/qwen3-8b-q4_k_m.gguf --context 16384
  forge backend start models/qwen3-8b-q4_k_m.gguf -- --threads 8
  forge backend start --kind ollama
  forge backend status
  forge backend logs llamaserver
  forge backend stop llamaserver`;

/** `forge backend`: model servers on this machine. */
export function addBackend(program: Command, context: CommandContext): void {
  const backend = program
    .command('backend')
    .description('start and stop model servers on this machine')
    .addHelpText('after', examples);
  addStart(backend, context);
  addStatus(backend, context);
  addLogs(backend, context);
  addStop(backend, context);
}

function addStart(backend: Command, { terminal: getTerminal, signal }: CommandContext) {
  backend
    .command('start')
    .description('start a server, or find the one that runs with the same settings')
    .argument('[model]', 'the GGUF file; for vllm a folder or a name on the hub')
    .argument('[flags...]', 'flags for the server, after --')
    .addOption(new Option('--kind <kind>', 'the server').choices(kinds).default('llamaserver'))
    .option('--binary <path>', 'its program, if it is not on PATH')
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on (default: a free one)', readWhole)
    .option('--context <tokens>', 'tokens of context for each request', readWhole)
    .option('--parallel <number>', 'requests at the same time', readWhole)
    .option('--kv-cache <type>', 'type of the KV cache, such as q8_0')
    .option('--kv-unified', 'one KV cache for all requests')
    .option('--gpu-layers <number>', 'layers on the GPU (default: all that fit)', readWhole)
    .option('--timeout <seconds>', 'how long it may take to become ready', readWhole)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples)
    .action(async (first: string | undefined, others: string[], options: StartOptions) => {
      // With no model, what comes first after -- is a flag.
      const isFlag = first?.startsWith('-') ?? false;
      const model = isFlag ? undefined : first;
      const extraFlags = isFlag && first !== undefined ? [first, ...others] : others;
      const { startBackend } = await import('@forge/models');
      const terminal = getTerminal();
      const { json = false, context, kvCache, timeout, ...rest } = options;
      if (!json) terminal.err(`Starting ${options.kind}…`);
      const started = await startBackend({
        ...rest,
        model,
        extraFlags,
        signal,
        contextLength: context,
        kvCache: kvCache === undefined ? undefined : { key: kvCache, value: kvCache },
        startTimeout: timeout === undefined ? undefined : timeout * 1_000,
      });
      if (json) {
        terminal.out(JSON.stringify(started));
        return;
      }
      const { id, url, contextLength, reused, modelName } = started;
      terminal.out(
        `${terminal.style('bold', id)} ${reused ? 'runs already' : 'is ready'} at ${url}`,
      );
      if (contextLength !== undefined) terminal.out(`context: ${contextLength} tokens`);
      terminal.out(`model:   ${modelName}`);
      terminal.out(`log:     forge backend logs ${id}`);
      terminal.out(`stop:    forge backend stop ${id}`);
    });
}

function addStatus(backend: Command, { terminal: getTerminal }: CommandContext) {
  backend
    .command('status')
    .description('what runs, and whether it answers')
    .option('--all', 'also those that have ended')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  forge backend status --all')
    .action(async ({ all = false, json = false }: { all?: boolean; json?: boolean }) => {
      const { backendStatus } = await import('@forge/models');
      const terminal = getTerminal();
      const known = await backendStatus();
      const shown = all ? known : known.filter(({ phase }) => phase !== 'stopped');
      if (json) {
        terminal.out(JSON.stringify(shown));
        return;
      }
      if (shown.length === 0) {
        terminal.out('No backend is running. Start one: forge backend start MODEL.gguf');
        return;
      }
      for (const { id, phase, healthy, url, restarts, model, failure } of shown) {
        const color =
          phase === 'ready' && healthy ? 'green' : phase === 'failed' ? 'red' : 'yellow';
        const silent = phase === 'ready' && !healthy ? ', does not answer' : '';
        const again = restarts > 0 ? `, restarted ${restarts} times` : '';
        const about = `${terminal.style(color, phase + silent)}${again}  ${url}`;
        terminal.out(`${id}  ${about}  ${model ?? ''}`.trimEnd());
        if (phase === 'failed' && failure !== undefined)
          terminal.out(`  ${failure.split('\n')[0]}`);
      }
    });
}

function addLogs(backend: Command, { terminal: getTerminal }: CommandContext) {
  backend
    .command('logs')
    .description('the last lines a server wrote')
    .argument('<backend>', 'its id, the beginning of it, or its kind')
    .option('-n, --lines <number>', 'how many', readWhole, 100)
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge backend logs llamaserver --lines 20')
    .action(async (which: string, { lines, json = false }: { lines: number; json?: boolean }) => {
      const { backendLogs } = await import('@forge/models');
      const terminal = getTerminal();
      const found = backendLogs(which, { lines });
      if (json) terminal.out(JSON.stringify(found));
      else for (const line of found) terminal.out(line);
    });
}

function addStop(backend: Command, { terminal: getTerminal }: CommandContext) {
  backend
    .command('stop')
    .description('stop a server and its children')
    .argument('<backend>', 'its id, the beginning of it, or its kind')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  forge backend stop llamaserver')
    .action(async (which: string, { json = false }: { json?: boolean }) => {
      const { stopBackend } = await import('@forge/models');
      const terminal = getTerminal();
      const id = await stopBackend(which);
      terminal.out(json ? JSON.stringify({ id, phase: 'stopped' }) : `${id} is stopped.`);
    });
}

function readWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number, such as 8192.');
}
