import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';

export interface AgentFlags {
  readonly task?: string;
  readonly repo?: string;
  readonly base?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly maxIterations?: number;
  readonly profile?: string;
  readonly profilesDir?: string;
  readonly sandboxBackend?: string;
  readonly sandboxImage?: string;
  readonly network?: boolean;
  readonly commandTimeout?: number;
  readonly queue?: string;
  readonly redisUrl: string;
  readonly maxConcurrentRuns?: number;
  readonly outputFormat: string;
  readonly reportFile?: string;
  readonly config?: string;
  readonly detach?: boolean;
}

const notes = `
The agent works on a copy of the repository in a sandbox, has to show that the project's checks pass,
and leaves a branch of its own, forge/…; your files, index and branches stay as they are.
A flag wins over a profile, a profile over forge.yaml.

Examples:
  forge agent "fix the failing test in src/parse.ts"
  forge agent "add a --json flag" --repo ../tool --model ollama:qwen3:8b
  forge agent "bump the version" --output-format json --report-file out/report.json`;

/** `forge agent`: one coding agent, one task. */
export function addAgent(program: Command, context: CommandContext): void {
  program
    .command('agent')
    .description('let a coding agent do one task in a copy of a repository')
    .argument('[task]', 'what is to be done, in quotes; - reads it from the standard input')
    .option('--task <text>', 'the same as the argument')
    .option('--repo <path>', 'the repository (default: that of the working directory)')
    .option('--base <commit>', 'the commit to begin with (default: HEAD)')
    .optionsGroup('Model:')
    .option('--model <name>', 'such as ollama:qwen3:8b; with --provider without what is before :')
    .option('--provider <name>', 'who serves the model; alone it means its usual one')
    .option('--max-iterations <number>', 'turns of the model', readWhole)
    .option('--profile <id>', 'a profile of .forge/profiles')
    .option('--profiles-dir <folder>', 'a folder with more profiles')
    .optionsGroup('Sandbox:')
    .option('--sandbox-backend <name>', 'docker, bwrap, process, or auto', lower)
    .option('--sandbox-image <image>', 'with docker: the image')
    .option('--network', 'the sandbox reaches the network')
    .option('--no-network', 'it does not')
    .option('--command-timeout <seconds>', 'how long one command may take', readWhole)
    .optionsGroup('Output:')
    .option(
      '--output-format <format>',
      'text, or json: one object on the standard output',
      lower,
      'text',
    )
    .option('--report-file <path>', 'write that object to a file too')
    .optionsGroup('Other:')
    .option('--queue <name>', 'memory, or redis: what carries wake-ups', lower)
    .option('--redis-url <url>', 'with --queue redis: where it is', 'redis://localhost:6379/0')
    .option('--max-concurrent-runs <number>', 'runs at the same time; 0 for any number', readWhole)
    .option('--config <file>', 'another forge.yaml')
    .option('--detach', 'begin it and come back at once; "forge worker" works on it')
    .addHelpText('after', notes)
    .action(async (task: string | undefined, flags: AgentFlags) => {
      const { runAgent } = await import('../runs/run-agent.ts');
      const verbose = program.opts().verbose === true;
      await runAgent(task ?? flags.task ?? '', { flags, context, verbose });
    });
}

function lower(text: string): string {
  return text.toLowerCase();
}

function readWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number, such as 25.');
}
