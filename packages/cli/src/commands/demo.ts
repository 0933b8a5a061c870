import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';

interface DemoOptions {
  readonly json?: boolean;
  readonly delay?: number;
}

const watchableDelay = 600;

/** `forge demo`: a guarded run in the terminal, with a scripted model that makes mistakes. */
export function addDemo(program: Command, { terminal: getTerminal, signal }: CommandContext): void {
  program
    .command('demo')
    .description('watch a guarded run: a scripted model makes the classic mistakes and finishes')
    .option('--json', 'print the events of the run as JSON, one per line')
    .option('--delay <ms>', 'pause before each reply of the model, in milliseconds', readDelay)
    .action(async ({ json = false, delay }: DemoOptions) => {
      // Loaded when asked for, so that `forge --help` does not wait for the kernel.
      const { runDemo } = await import('../demo/run-demo.ts');
      const { printEvents, printJson } = await import('../demo/print-events.ts');
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
