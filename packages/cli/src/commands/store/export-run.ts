import { resolve } from 'node:path';
import { exportRunFolder, isBroken, type RunRow, type Store } from '@forge/store';
import type { CommandContext } from '../../context.ts';
import { SummaryFold } from '../../runs/agent-summary.ts';
import { familyPast, familyRuns, runsBelow } from '../../runs/family.ts';
import { findRun } from '../../runs/find-run.ts';
import { shortId } from '../../runs/short-id.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import { counted } from '../../runs/words.ts';

/** `forge store export`, once its flags are read. */
export async function exportRun(
  context: CommandContext,
  { id, to, json }: { readonly id: string; readonly to: string; readonly json: boolean },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store }) => {
    const terminal = context.terminal();
    const run = await findRun(store, id);
    const model = await modelOf(store, run);
    const repoPath = run.labels['forge.repo'];
    const folder = await exportRunFolder({
      ...{ store, runId: run.id, folder: resolve(context.cwd, to) },
      ...(repoPath !== undefined && { repoPath }),
      ...(model !== undefined && { config: { model } }),
    });
    const below = runsBelow(await familyRuns(store, run.rootId), run.id).length - 1;
    if (json) {
      terminal.out(JSON.stringify({ runId: run.id, folder, runsBelow: below }));
      return;
    }
    terminal.out(folder);
    if (below > 0) {
      terminal.err(
        `${shortId(run.id)} started ${counted(below, 'run')}, which are not in it: forge list --all`,
      );
    }
  });
}

async function modelOf(store: Store, run: RunRow): Promise<string | undefined> {
  const fold = new SummaryFold();
  for await (const { event } of familyPast(store, [run])) if (!isBroken(event)) fold.add(event);
  return fold.summary.model;
}
