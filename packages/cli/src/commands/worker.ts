import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from '../context.ts';

interface WorkerFlags {
  readonly concurrency?: number;
  readonly queue?: string;
}

const notes = `
It takes up runs that are due, also those whose process died, with what their command lines asked for,
and fires schedules. Any number of workers may share a store. Ctrl-C or SIGTERM lets what runs come to
its end and ends with 0; what is left after half a minute is taken over by others. A second one does not
wait.

Examples:
  forge worker
  forge worker --concurrency 4
  forge worker --queue redis://127.0.0.1:6379/0`;

/** `forge worker`: runs, one after the other and side by side. */
export function addWorker(program: Command, context: CommandContext): void {
  program
    .command('worker')
    .description('work on runs until stopped')
    .option('--concurrency <number>', 'runs at the same time (default: from forge.yaml)', readWhole)
    .option('--queue <address>', 'what carries wake-ups: store, pg-boss, or redis://…')
    .addHelpText('after', notes)
    .action(async (flags: WorkerFlags) => {
      const { serveRuns } = await import('../runs/serve-runs.ts');
      await serveRuns(context, flags);
    });
}

function readWhole(text: string): number {
  const number = Number(text);
  if (/^\d{1,4}$/.test(text) && number > 0) return number;
  throw new InvalidArgumentError('It takes a number from 1 to 9999, such as 8.');
}
