import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../context.ts';
import type { DemoOptions } from '../demo/demo-options.ts';

const watchableDelay = 600;

const notes = `
It makes a small service in a git repository of its own, deploys it, and gives Forge a request:
plan, two coders side by side, a review that sends the work back, a deployment that does not pass
its verification and is rolled back, and one that does.

Examples:
  forge demo
  forge demo --model ollama:qwen3:8b
  forge demo guardrails`;

/** `forge demo`: a request becomes software that runs, from the first line to the last. */
export function addDemo(program: Command, context: CommandContext): void {
  const demo = program
    .command('demo')
    .description('watch a request become reviewed, deployed and verified software')
    .option('--model <name>', 'do it for real, with this model')
    .option('--folder <path>', 'where to make the project (default: a temporary folder)')
    .addOption(
      new Option('--backend <name>', 'what holds the sandbox').choices([
        'auto',
        'docker',
        'bubblewrap',
        'process',
      ]),
    )
    .option('--keep', 'leave the service running at the end')
    .option('--no-wait', 'stop the service at the end without waiting for a key')
    .option('--delay <ms>', 'pause before each reply of the scripted model', readDelay)
    .option('--json', 'print events, then the result, as JSON, one per line')
    .addHelpText('after', notes)
    .action(async (flags: DemoOptions) => {
      // Loaded when asked for, so that `forge --help` does not wait for the kernel.
      const { runStory } = await import('../demo/run-story.ts');
      await runStory(context, { ...flags, verbose: program.opts().verbose === true });
    });
  addGuardrails(demo, context);
  demo
    .command('clean')
    .description('stop the service of a demo and remove its folder')
    .argument('<folder>', 'the folder the demo named')
    .action(async (folder: string) => {
      const { cleanDemo } = await import('../demo/clean-demo.ts');
      await cleanDemo(context, folder);
    });
}

interface GuardrailsOptions {
  readonly json?: boolean;
  readonly delay?: number;
}

/** `forge demo guardrails`: one guarded run, with a scripted model that makes mistakes. */
function addGuardrails(demo: Command, { terminal: getTerminal, signal }: CommandContext): void {
  demo
    .command('guardrails')
    .description('watch a guarded run: a scripted model makes the classic mistakes and finishes')
    .option('--json', 'print the events of the run as JSON, one per line')
    .option('--delay <ms>', 'pause before each reply of the model, in milliseconds', readDelay)
    .action(async (_: GuardrailsOptions, command: Command) => {
      // Of the command above, too: it has the same flags, and takes them first.
      const { json = false, delay } = command.optsWithGlobals<GuardrailsOptions>();
      const { runDemo } = await import('../demo/guardrails/run-demo.ts');
      const { printEvents, printJson } = await import('../demo/guardrails/print-events.ts');
      const terminal = getTerminal();
      const printer = json ? printJson(terminal) : printEvents(terminal);
      printer.begin();
      const result = await runDemo({
        delay: delay ?? (terminal.interactive && !json ? watchableDelay : 0),
        signal,
        onEvent: printer.event,
      });
      printer.end(result);
    });
}

function readDelay(text: string): number {
  const delay = Number(text);
  if (text.trim() === '' || !Number.isFinite(delay) || delay < 0) {
    throw new InvalidArgumentError('It takes a number of milliseconds, such as 250.');
  }
  return delay;
}
