import { printable } from '../printable.ts';
import { decider } from './decider.ts';
import { type DriveOptions, drive } from './drive.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { isOver } from './run-state.ts';
import { shortId } from './short-id.ts';
import { withRunWorkshop } from './with-run-workshop.ts';

/** `forge resume`, once its flags are read. */
export async function resumeRun(
  id: string,
  options: Pick<DriveOptions, 'context' | 'detach' | 'json' | 'verbose'>,
): Promise<void> {
  const { context } = options;
  await withRunWorkshop(context, id, async (workshop, found) => {
    // Children go on with the run at the top, which waits for them.
    const run = (await workshop.store.run(found.rootId)) ?? found;
    if (isOver(run) && run.state !== 'dead') {
      const why = run.explanation === undefined ? '' : `: ${printable(run.explanation, 1_000)}`;
      context.terminal().err(`Run ${shortId(run.id)} has ended (${run.state})${why}`);
      context
        .terminal()
        .err(`To try again from an earlier point: forge fork ${shortId(run.id)} --at EVENT`);
      context.endWith(exitCodeOf(run));
      return;
    }
    await workshop.runtime.resumeFamily(run.id, { by: decider().by });
    await drive(run, { ...options, workshop });
  });
}
