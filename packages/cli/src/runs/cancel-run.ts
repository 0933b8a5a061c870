import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { decider } from './decider.ts';
import { endHere } from './end-here.ts';
import { familyRuns, runsBelow } from './family.ts';
import { isOver } from './run-state.ts';
import { shortId } from './short-id.ts';
import { withRunWorkshop } from './with-run-workshop.ts';

/** Milliseconds in which a worker, here or elsewhere, ends it. */
const patience = 15_000;

/** `forge cancel`, once its flags are read. */
export async function cancelRun(
  id: string,
  {
    context,
    reason,
    json = false,
  }: { readonly context: CommandContext; readonly reason?: string; readonly json?: boolean },
): Promise<void> {
  await withRunWorkshop(context, id, async (workshop, run) => {
    const { store, runtime } = workshop;
    const terminal = context.terminal();
    if (isOver(run) && run.state !== 'dead') {
      if (json) terminal.out(JSON.stringify({ runId: run.id, state: run.state }));
      else terminal.err(`Run ${shortId(run.id)} has ended already (${run.state}).`);
      if (run.state !== 'cancelled') context.endWith(exitCodes.failed);
      return;
    }
    const order = { by: decider().by, ...(reason !== undefined && { reason }) };
    for (const each of runsBelow(await familyRuns(store, run.rootId), run.id)) {
      if (!isOver(each) || each.state === 'dead') await runtime.cancel(each.id, order);
    }
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patience)]);
    if (await endHere(workshop, run, signal)) {
      const { state } = (await runtime.view(run.id)).run;
      terminal.out(
        json ? JSON.stringify({ runId: run.id, state }) : `Run ${shortId(run.id)}: ${state}.`,
      );
    } else {
      terminal.err(`Run ${shortId(run.id)} will end as soon as its worker hears of it.`);
    }
  });
}
