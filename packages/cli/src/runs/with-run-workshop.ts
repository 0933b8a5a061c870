import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { findRun } from './find-run.ts';
import { settingsOfRun } from './run-settings.ts';
import { withWorkshop } from './with-workshop.ts';

/**
 * Finds a run and opens the workshop it was begun in: of its repository, with what was said on its
 * command line. For whoever works on it, wherever they are.
 */
export async function withRunWorkshop<T>(
  context: CommandContext,
  id: string,
  work: (workshop: Workshop, run: RunRow) => Promise<T>,
): Promise<T> {
  const run = await withWorkshop(context, {}, ({ store }) => findRun(store, id));
  return withWorkshop(context, settingsOfRun(run), async (workshop) => {
    // Another store than the one it was found in would be a setting of its repository.
    const same = await findRun(workshop.store, run.id);
    return work(workshop, same);
  });
}
