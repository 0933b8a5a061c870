import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { LiveReporter } from '../progress/live-reporter.ts';
import { jsonReporter, plainReporter, type Reporter } from '../progress/reporter.ts';

/** JSON for programs, a tree for people who look on, else lines. */
export function chooseReporter(
  context: CommandContext,
  run: RunRow,
  { json, verbose }: { readonly json: boolean; readonly verbose: boolean },
): Reporter {
  const terminal = context.terminal();
  if (json) return jsonReporter(terminal);
  if (terminal.screen.canRedraw && !verbose) return new LiveReporter({ terminal, rootId: run.id });
  return plainReporter(terminal, { verbose });
}
