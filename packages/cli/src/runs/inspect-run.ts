import { ForgeError } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import { isBroken } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { eventLine } from '../progress/reporter.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { findRun } from './find-run.ts';
import { inspect } from './inspection.ts';
import { renderInspection } from './render-inspection.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';
import { counted, inDollars, inShort } from './words.ts';

/** `forge inspect`, once its flags are read. */
export async function inspectRun(
  id: string,
  {
    context,
    json,
    at,
  }: { readonly context: CommandContext; readonly json: boolean; readonly at?: number },
): Promise<void> {
  await withWorkshop(context, {}, async (workshop) => {
    const run = await findRun(workshop.store, id);
    if (at !== undefined) return showMoment(workshop, { context, json, runId: run.id, at });
    const terminal = context.terminal();
    const inspection = await inspect(workshop, run);
    if (json) terminal.out(JSON.stringify(inspection));
    else for (const line of renderInspection(inspection, terminal)) terminal.out(line);
  });
}

const around = 5;

/** The run as it was after an event: where it stood, and what had just happened. */
async function showMoment(
  { store, runtime }: Workshop,
  {
    context,
    json,
    runId,
    at,
  }: {
    readonly context: CommandContext;
    readonly json: boolean;
    readonly runId: string;
    readonly at: number;
  },
): Promise<void> {
  const { state, status, run } = await runtime.view(runId, at);
  if (at > run.seq) {
    throw new ForgeError(
      'invalid_options',
      `Run ${runId} has ${run.seq} events: there is no event ${at}. Give a number from 1 to ${run.seq}.`,
    );
  }
  const first = Math.max(0, at - around);
  const events = await store.events(runId, { after: first, limit: at - first });
  const terminal = context.terminal();
  if (json) {
    const { turn, usage, windowTokens, phase, output } = state;
    terminal.out(
      JSON.stringify({ runId, at, status, turn, usage, windowTokens, phase, output, events }),
    );
    return;
  }
  const { usage } = state;
  terminal.out(
    `${terminal.style('bold', status.replaceAll('_', ' '))}  after event ${at} of ${run.seq}`,
  );
  terminal.out(
    `${counted(state.turn, 'turn')}, ${inShort(usage.inputTokens + usage.outputTokens)} tokens, ${inDollars(usage.cost)}, ${inShort(state.windowTokens)} tokens in the context`,
  );
  for (const event of events) {
    const number = String(event.seq).padStart(String(at).length);
    const line = eventLine(
      bareAgent(run.agent),
      { event },
      { verbose: true, style: terminal.style },
    );
    terminal.out(`${number}  ${isBroken(event) ? event.broken : line}`);
  }
  terminal.out(
    terminal.style('dim', `another way from here: forge fork ${shortId(runId)} --at ${at}`),
  );
}
