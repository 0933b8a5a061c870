import { bareAgent } from '@forge/pipeline/names';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { familyRuns, runsBelow, sumOf } from './family.ts';
import { findRun, titleOf } from './find-run.ts';
import { toJson } from './list-runs.ts';
import { stateStyles, stateWord } from './run-state.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';
import { inDate, inDollars, inShort, inTime } from './words.ts';

/** `forge status RUN`: one run in a few lines. */
export async function showRun(
  id: string,
  { context, json }: { readonly context: CommandContext; readonly json: boolean },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store, runtime }) => {
    const terminal = context.terminal();
    const { run, status } = await runtime.view((await findRun(store, id)).id);
    if (json) {
      terminal.out(JSON.stringify({ ...toJson(run), status }));
      return;
    }
    const word = stateWord(run);
    const family = runsBelow(await familyRuns(store, run.rootId), run.id);
    const tokens = sumOf(family, ({ usage }) => usage.inputTokens + usage.outputTokens);
    const cost = sumOf(family, (each) => each.cost);
    const now = await store.now();
    const took =
      run.finishedAt === undefined
        ? `${inTime(now - run.createdAt)} ago`
        : `took ${inTime(run.finishedAt - run.createdAt)}`;
    const doing =
      word === 'running' || word === 'waiting' ? ` (${status.replaceAll('_', ' ')})` : '';
    terminal.out(`${terminal.style(stateStyles[word], word)}${doing}  ${titleOf(run)}`);
    terminal.out(`  id       ${run.id}`);
    terminal.out(`  agent    ${printable(bareAgent(run.agent))}`);
    terminal.out(`  began    ${inDate(run.createdAt)} UTC, ${took}`);
    terminal.out(`  spent    ${inShort(tokens)} tokens, ${inDollars(cost)}`);
    if (run.state !== 'completed' && run.explanation !== undefined) {
      terminal.out(`  because  ${printable(run.explanation, 2_000)}`);
    }
    terminal.out(terminal.style('dim', `  more: forge inspect ${shortId(run.id)}`));
  });
}
