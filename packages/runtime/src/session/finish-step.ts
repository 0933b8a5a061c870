import { type Agent, openCalls, type RunState } from '@forge/core';
import type { RunRow } from '@forge/store';
import { childId } from './names.ts';
import type { Step } from './step.ts';

/**
 * What the end of a run means to others, written with it: its parent gets the result, children
 * nobody waits for are cancelled, and nobody has to decide on it any more.
 */
export function finishStep({
  run,
  agent,
  before,
  pending,
  step,
}: {
  readonly run: RunRow;
  readonly agent: Agent;
  /** The state before this step, when its last calls were still open. */
  readonly before: RunState;
  /** Approvals of this run that nobody has decided yet. */
  readonly pending: readonly string[];
  readonly step: Step;
}): void {
  const { phase, output } = step.state;
  if (phase.name !== 'finished') return;
  // What was to be asked with this very step is not asked any more.
  step.approvals.length = 0;
  step.withdraws.push(...pending);
  for (const { call, turn, status } of openCalls(before)) {
    const answeredBy = agent.guard.tools.get(call.name)?.answeredBy;
    if (status !== 'running' || answeredBy?.type !== 'agent') continue;
    step.sends.push({
      runId: childId(run.id, turn, call.id),
      kind: 'cancel',
      payload: { reason: 'The run that started it has ended.' },
    });
  }
  if (run.parentId !== undefined && run.parentCallId !== undefined) {
    const done = phase.status === 'completed';
    const said = done ? (output?.text ?? '') : `[ToolError] ${phase.explanation}`;
    step.sends.push({
      runId: run.parentId,
      kind: 'result',
      source: `child:${run.id}`,
      payload: {
        callId: run.parentCallId,
        outcome: done ? 'ok' : phase.status === 'cancelled' ? 'cancelled' : 'error',
        content: [{ type: 'text', text: said }],
      },
    });
  }
}
