import type { CheckedPipeline } from '@forge/pipeline';
import { bareAgent } from '@forge/pipeline/names';
import type { RunView, Worker } from '@forge/runtime';
import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import type { Reporter } from '../progress/reporter.ts';
import { topAgents, type Workshop } from '../workshop/workshop.ts';
import { ApprovalDesk } from './approval-desk.ts';
import { decider } from './decider.ts';
import { endHere } from './end-here.ts';
import { isAllOver, isAtRest } from './is-at-rest.ts';
import { FamilyWatch } from './watch-family.ts';

/** How it was left: it ended by itself, or was paused or cancelled from this terminal. */
export type Left = 'ended' | 'paused' | 'cancelled';

export interface Worked {
  readonly view: RunView;
  readonly left: Left;
}

/** Milliseconds that what runs has to come to its end when it is paused, and when it is cancelled. */
const grace = 10_000;
/** Milliseconds for the last events to be shown. */
const showGrace = 2_000;

/**
 * Works on a run and everything below it in this process, with its progress shown, until it has
 * ended. Interrupted once it is paused durably; twice, cancelled.
 */
export async function workOnRun({
  workshop,
  context,
  run,
  reporter,
  isKept = true,
}: {
  readonly workshop: Workshop;
  readonly context: CommandContext;
  readonly run: RunRow;
  readonly reporter: Reporter;
  /** False: it cannot be gone on with later, so that the first interrupt cancels it. */
  readonly isKept?: boolean;
}): Promise<Worked> {
  const { runtime, store } = workshop;
  const over = new AbortController();
  const desk = new ApprovalDesk({
    ...{ workshop, context, reporter },
    rootId: run.id,
    signal: over.signal,
  });
  const watch = new FamilyWatch({
    ...{ store, reporter },
    pipeline: await pipelineOf(workshop, run),
    rootId: run.id,
    onEvent: ({ event }) => desk.event(event),
  });
  const interruption = interrupt({ workshop, context, run, reporter, watch, isKept });
  if (context.signal.aborted) {
    // Interrupted while the run was put on record: no worker may go on with it by chance.
    interruption.giveBack();
    reporter.end();
    await (isKept ? runtime.pauseFamily(run.id, interruption.by) : runtime.cancel(run.id));
    return { view: await runtime.view(run.id), left: isKept ? 'paused' : 'cancelled' };
  }
  let worker: Worker | undefined;
  let left: Left = 'ended';
  try {
    worker = await workshop.startWorker({
      onProblem: (line) => reporter.note(line),
      only: run,
    });
    const following = watch.follow(over.signal).then(() => interruption.left);
    const ended = runtime.ended(run.id, { signal: over.signal }).then(() => 'ended' as const);
    left = await Promise.race([ended, interruption.left, following]);
    const { seq } = (await runtime.view(run.id)).run;
    await watch.until(() => watch.readOf(run.id) >= seq, AbortSignal.timeout(showGrace));
  } finally {
    over.abort();
    await desk.close();
    await worker?.stop({ grace: left === 'ended' ? grace : 0 });
    interruption.giveBack();
    reporter.end();
  }
  if (interruption.presses() > 1) {
    left = 'cancelled';
    await endHere(workshop, run, AbortSignal.timeout(grace));
  } else if (left === 'paused') {
    // What was begun while the order was given out has not heard it.
    await runtime.pauseFamily(run.id, interruption.by);
  }
  return { view: await runtime.view(run.id), left };
}

/** Shown if it can be; whoever works on the run says what is wrong with it. */
async function pipelineOf(workshop: Workshop, run: RunRow): Promise<CheckedPipeline | undefined> {
  if (bareAgent(run.agent) !== topAgents.pipeline) return undefined;
  return workshop.pipeline().catch(() => undefined);
}

/** Takes Ctrl-C over: the first one pauses, the second one cancels. */
function interrupt({
  workshop: { runtime, store },
  context,
  run,
  reporter,
  watch,
  isKept,
}: {
  readonly workshop: Workshop;
  readonly context: CommandContext;
  readonly run: RunRow;
  readonly reporter: Reporter;
  readonly watch: FamilyWatch;
  readonly isKept: boolean;
}) {
  const by = { by: decider().by, reason: 'Interrupted at the terminal.' };
  const left = Promise.withResolvers<Exclude<Left, 'ended'>>();
  let presses = 0;
  const pause = async () => {
    reporter.note('Pausing. Press Ctrl-C again to cancel the run instead.');
    await runtime.pauseFamily(run.id, by);
    await watch.until(
      async () => presses > 1 || (await isAtRest(store, run.id)),
      AbortSignal.timeout(grace),
    );
    if (presses < 2) left.resolve('paused');
  };
  const cancel = async () => {
    reporter.note('Cancelling.');
    await runtime.cancel(run.id, by);
    await watch.until(() => isAllOver(store, run.id), AbortSignal.timeout(grace));
    left.resolve('cancelled');
  };
  const giveBack = context.interrupts.take(() => {
    presses += isKept ? 1 : 2;
    (presses === 1 ? pause() : cancel()).catch(left.reject);
  });
  // Nobody may be waiting for it when it fails.
  left.promise.catch(() => {});
  return { by, left: left.promise, giveBack, presses: () => presses };
}
