import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { chooseReporter } from './choose-reporter.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { shortId } from './short-id.ts';
import { showEnd } from './show-end.ts';
import { type Worked, workOnRun } from './work-on-run.ts';

export interface DriveOptions {
  readonly workshop: Workshop;
  readonly context: CommandContext;
  readonly json: boolean;
  readonly verbose: boolean;
  /** Somebody else works on it. */
  readonly detach: boolean;
  /** False: nothing is left of it afterwards, so that it cannot be paused. Default true. */
  readonly isKept?: boolean;
  /** Instead of the usual words at the end. */
  readonly show?: (worked: Worked) => Promise<void> | void;
  /** Instead of the usual exit code. */
  readonly code?: (worked: Worked) => number;
}

/** What every command does that began a run or goes on with one: works on it until it has ended. */
export async function drive(run: RunRow, options: DriveOptions): Promise<void> {
  const { workshop, context, json, verbose, detach, isKept = true, show, code } = options;
  const terminal = context.terminal();
  if (detach) {
    terminal.out(json ? JSON.stringify({ runId: run.id, state: run.state }) : run.id);
    if (!json) {
      terminal.err('Run "forge worker" to have it worked on, if none is running.');
      terminal.err(`Follow it with: forge logs -f ${shortId(run.id)}`);
    }
    return;
  }
  const reporter = chooseReporter(context, run, { json, verbose });
  const worked = await workOnRun({ workshop, context, run, reporter, isKept });
  context.endWith(code?.(worked) ?? exitCodeOf(worked.view.run, worked.left));
  if (show === undefined) await showEnd(worked, { workshop, context, json, isKept });
  else await show(worked);
}
