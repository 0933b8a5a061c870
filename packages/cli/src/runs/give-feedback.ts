import type { CommandContext } from '../context.ts';
import { quietReporter } from '../progress/reporter.ts';
import { decider } from './decider.ts';
import { startEndingWorker } from './ending-worker.ts';
import { isOver } from './run-state.ts';
import { shortId } from './short-id.ts';
import { FamilyWatch } from './watch-family.ts';
import { withRunWorkshop } from './with-run-workshop.ts';

const verdicts = { good: 'success', bad: 'failure', partly: 'partial' } as const;
/** Milliseconds in which it is written to the log of a run that has ended. */
const patience = 10_000;

/** `forge feedback`, once its flags are read. */
export async function giveFeedback(
  id: string,
  {
    context,
    verdict,
    note,
    json = false,
  }: {
    readonly context: CommandContext;
    readonly verdict: keyof typeof verdicts;
    readonly note?: string;
    readonly json?: boolean;
  },
): Promise<void> {
  await withRunWorkshop(context, id, async (workshop, run) => {
    const { store, runtime } = workshop;
    const said = { verdict: verdicts[verdict], ...(note !== undefined && { note }) };
    await runtime.verdict(run.id, { ...said, by: decider().by });
    // Nobody works on a run that has ended: what was said is put onto its log here.
    if (isOver(run)) await deliver();
    const terminal = context.terminal();
    if (json) terminal.out(JSON.stringify({ runId: run.id, ...said }));
    else terminal.out(`Thank you. It is kept with run ${shortId(run.id)}.`);

    async function deliver(): Promise<void> {
      const over = new AbortController();
      const watch = new FamilyWatch({
        store,
        rootId: run.rootId,
        reporter: quietReporter(context.terminal()),
      });
      const following = watch.follow(over.signal);
      const worker = await startEndingWorker(workshop, run);
      try {
        const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patience)]);
        await watch.until(async () => {
          const now = await store.run(run.id);
          return now !== undefined && now.seq > run.seq && isOver(now);
        }, signal);
      } finally {
        over.abort();
        await worker.stop({ grace: 0 });
        await following;
      }
    }
  });
}
