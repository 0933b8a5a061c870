import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { LiveReporter } from '../progress/live-reporter.ts';
import { jsonReporter, plainReporter, quietReporter, type Reporter } from '../progress/reporter.ts';
import type { DemoOptions } from './demo-options.ts';

/** JSON for programs, a tree below the story for people who look on, else the story alone. */
export function reporterFor(context: CommandContext, options: DemoOptions, run: RunRow): Reporter {
  const terminal = context.terminal();
  if (options.json === true) return jsonReporter(terminal);
  if (options.verbose === true) return plainReporter(terminal, { verbose: true });
  if (terminal.screen.canRedraw) return new LiveReporter({ terminal, rootId: run.id });
  return quietReporter(terminal);
}
