import type { Network, SandboxBackend, SandboxLimits } from '@forge/sandbox';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../../context.ts';
import { parseBytes } from '../../parse-bytes.ts';
import { printable } from '../../printable.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { type BackendFlags, backendOptions, openBackend } from './backends.ts';

interface RunFlags extends BackendFlags {
  readonly image?: string;
  readonly network?: Network;
  readonly env: Readonly<Record<string, string>>;
  readonly memory?: number;
  readonly cpus?: number;
  readonly timeout?: number;
  readonly json?: boolean;
}

const notes = `
Its exit code is that of the command: 124 for time, 126 and 127 for a program that was not
started, 128 and more for signals. Nothing of this machine's environment is passed on.

Examples:
  forge sandbox run -- sh -c 'id; ls -la'
  forge sandbox run --network allow:example.org --image forge/node -- curl -s https://example.org
  forge sandbox run --backend remote --orchestrator 127.0.0.1:7070 -- uname -a`;

/** `forge sandbox run`: one command, in a sandbox of its own. */
export function addRun(sandbox: Command, context: CommandContext): void {
  const command = sandbox
    .command('run')
    .description('run one command in a sandbox that is thrown away afterwards')
    .argument('<command...>', 'the program and its arguments, after --');
  for (const option of backendOptions) command.addOption(option);
  command
    .option('--image <name>', 'the image, for backends that have images')
    .option('--network <rule>', 'none, full, or allow:HOST,HOST (default: none)', readNetwork)
    .option('--env <NAME=VALUE>', 'a variable; may be given again', readVariable, {})
    .option('--memory <size>', 'most memory, such as 512MiB', readSize)
    .option('--cpus <number>', 'most cores, such as 1.5', readNumber)
    .option('--timeout <seconds>', 'when it is ended', readNumber)
    .option('--json', 'print the result as JSON when it has ended')
    .addHelpText('after', notes)
    .action(async ([program, ...args]: string[], flags: RunFlags) => {
      if (program === undefined) throw new UsageError('Which command? Write it after --.');
      const backend = await openBackend(flags, context);
      try {
        context.endWith(await run(backend, [program, ...args], { flags, context }));
      } finally {
        await backend.close();
      }
    });
}

async function run(
  backend: SandboxBackend,
  argv: readonly [string, ...string[]],
  { flags, context }: { readonly flags: RunFlags; readonly context: CommandContext },
): Promise<number> {
  const { signal } = context;
  const terminal = context.terminal();
  const { image, network, env, memory, cpus, timeout, json = false } = flags;
  const limits: Partial<SandboxLimits> = {
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(cpus !== undefined && { cpus }),
  };
  const sandbox = await backend.start({
    ...{ env, limits, signal },
    ...(image !== undefined && { image }),
    ...(network !== undefined && { network }),
  });
  const timeoutMs = timeout === undefined ? undefined : timeout * 1_000;
  const execution = sandbox.exec({ argv, ...(timeoutMs && { timeoutMs }) }, { signal });
  if (!json) await show(execution.output, terminal);
  const { end, exitCode, stdout, stderr, dropped, durationMs } = await execution.result;
  if (json) {
    const text = { stdout: decode(stdout), stderr: decode(stderr) };
    terminal.out(JSON.stringify({ end, exitCode, ...text, dropped, durationMs }));
  } else {
    // A problem may quote what the command printed.
    if ('problem' in end) terminal.err(`forge: ${printable(end.problem, 1_000)}`);
    if (end.type === 'timed_out') terminal.err(`forge: it was ended after ${end.afterMs} ms`);
    if (dropped > 0) terminal.err(`forge: ${dropped} more bytes of output were dropped`);
  }
  return exitCode;
}

async function show(
  output: AsyncIterable<{ stream: 'stdout' | 'stderr'; bytes: Uint8Array }>,
  terminal: Terminal,
): Promise<void> {
  const { neutralise } = await import('@forge/core');
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { stream, bytes } of output) {
    terminal.raw(stream, bytes, (chunk) =>
      neutralise(decoders[stream].decode(chunk, { stream: true })),
    );
  }
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function readNetwork(text: string): Network {
  if (text === 'none' || text === 'full') return { type: text };
  const hosts = /^allow:(.+)$/.exec(text)?.[1]?.split(',');
  if (hosts !== undefined) return { type: 'allow', hosts };
  throw new InvalidArgumentError('It takes none, full, or allow:HOST,HOST.');
}

function readVariable(text: string, before: Readonly<Record<string, string>>) {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It takes NAME=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function readSize(text: string): number {
  const bytes = parseBytes(text);
  if (bytes === undefined) throw new InvalidArgumentError('It takes a size, such as 512MiB.');
  return bytes;
}

function readNumber(text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError('It takes a number above 0, such as 1.5.');
  }
  return number;
}
