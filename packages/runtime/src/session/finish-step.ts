import { type Agent, openCalls, type RunState } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import { cancelChild } from './cancel-child.ts';
import { childId } from './names.ts';
import { outcomeOf } from './outcome-of.ts';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';

/**
 * What the end of a run means to others, written with it: its parent gets the result, children
 * nobody waits for are cancelled, and nobody has to decide on it any more.
 */
export async function finishStep({
  host,
  run,
  agent,
  before,
  step,
}: {
  readonly host: SessionHost;
  readonly run: RunRow;
  readonly agent: Agent;
  /** The state before this step, when its last calls were still open. */
  readonly before: RunState;
  readonly step: Step;
}): Promise<void> {
  const { store } = host;
  const { phase, output } = step.state;
  if (phase.name !== 'finished') return;
  // What is said to a run after its end does not end it again.
  if (before.phase.name !== 'finished') step.add(outcomeOf({ host, run, agent, step }));
  // What was to be asked with this very step is not asked any more.
  step.approvals.length = 0;
  step.withdraws.push(...(await pendingApprovals(store, before)));
  const answered = answeredIn(step);
  for (const { call, turn, status } of openCalls(before)) {
    if (status !== 'running' || !call.external || answered.has(call.id)) continue;
    const child = childId(run.id, turn, call.id);
    const tool = agent.guard.tools.get(call.name);
    // An agent that was written anew may not know the tool any more; its child is there all the same.
    const isAgents =
      tool === undefined
        ? (await store.run(child)) !== undefined
        : tool.answeredBy?.type === 'agent';
    if (isAgents) step.sends.push(cancelChild(child, 'The run that started it has ended.'));
  }
  const { parentId, parentCallId } = run;
  // A parent that was pruned does not wait for it.
  const waits = parentId !== undefined && (await store.run(parentId)) !== undefined;
  if (waits && parentCallId !== undefined) {
    const done = phase.status === 'completed';
    const said = done ? (output?.text ?? '') : `[ToolError] ${phase.explanation}`;
    step.sends.push({
      runId: parentId,
      kind: 'result',
      source: `child:${run.id}`,
      payload: {
        callId: parentCallId,
        outcome: done ? 'ok' : phase.status === 'cancelled' ? 'cancelled' : 'error',
        content: [{ type: 'text', text: said }],
      },
    });
  }
}

/** Calls whose result came with this very step: whoever answered has ended. */
function answeredIn({ happenings }: Step): ReadonlySet<string> {
  return new Set(
    happenings.flatMap((happening) =>
      happening.type === 'tool.finished' && happening.outcome !== 'cancelled'
        ? [happening.callId]
        : [],
    ),
  );
}

/** Only the session that has the lease asks for them, so none comes after this. */
async function pendingApprovals(store: Store, state: RunState): Promise<readonly string[]> {
  const waits = openCalls(state).some(
    ({ call, status, asks = [] }) =>
      status === 'asked' || (status === 'running' && (call.external || asks.length > 0)),
  );
  if (!waits) return [];
  const { runId } = state;
  const { items } = await store.approvals({ state: 'pending', runId }, { limit: 1_000 });
  return items.map(({ id }) => id);
}
