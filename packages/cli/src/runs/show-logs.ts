import { bareAgent } from '@forge/pipeline/names';
import { isBroken, type RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { evolveProgress, noProgress, type Progress } from '../progress/progress.ts';
import { eventLine, nameInLines, toJson } from '../progress/reporter.ts';
import { type FamilyEvent, familyPast, familyRuns, followFamily, runsBelow } from './family.ts';
import { findRun } from './find-run.ts';
import { isOver } from './run-state.ts';
import { withWorkshop } from './with-workshop.ts';

/** `forge logs`, once its flags are read. */
export async function showLogs(
  id: string,
  {
    context,
    verbose,
    follow = false,
    json = false,
  }: {
    readonly context: CommandContext;
    readonly verbose: boolean;
    readonly follow?: boolean;
    readonly json?: boolean;
  },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store, runtime }) => {
    const terminal = context.terminal();
    const top = await findRun(store, id);
    let progress: Progress = noProgress;
    const show = (happened: FamilyEvent) => {
      const { run, event } = happened;
      if (!isBroken(event)) progress = evolveProgress(progress, run, event);
      if (json) {
        const line = isBroken(event)
          ? {
              runId: run.id,
              rootId: run.rootId,
              agent: bareAgent(run.agent),
              level: 'error',
              ...event,
            }
          : toJson(run, event);
        terminal.out(JSON.stringify(line));
        return;
      }
      const line = eventLine(nameInLines(progress, run), happened, {
        verbose,
        style: terminal.style,
      });
      if (line !== undefined) terminal.out(line);
    };
    if (!follow || isOver(top)) {
      const runs = runsBelow(await familyRuns(store, top.rootId), top.id);
      for await (const happened of familyPast(store, runs)) show(happened);
      return;
    }
    await followToEnd(top);

    async function followToEnd(run: RunRow): Promise<void> {
      // What comes after the end of the run in the same step is still shown.
      const over = new AbortController();
      const signal = AbortSignal.any([context.signal, over.signal]);
      let lastSeq: number | undefined;
      let shownSeq = 0;
      const end = () => {
        if (lastSeq !== undefined && shownSeq >= lastSeq) over.abort();
      };
      const ended = runtime.ended(run.id, { signal }).then(
        (view) => {
          lastSeq = view.run.seq;
          end();
        },
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
      const below = new Set([run.id]);
      for await (const happened of followFamily(store, run.rootId, { signal })) {
        const { id: runId, parentId } = happened.run;
        if (parentId !== undefined && below.has(parentId)) below.add(runId);
        if (!below.has(runId)) continue;
        show(happened);
        if (runId === run.id) shownSeq = happened.event.seq;
        end();
      }
      await ended;
    }
  });
}
