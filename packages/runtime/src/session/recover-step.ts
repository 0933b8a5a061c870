import { type Agent, openCalls, type RunState, recover, withdrawQuestions } from '@forge/core';
import type { RunRow } from '@forge/store';
import { interruptedCalls } from './interrupted-calls.ts';
import { lostAnswers } from './lost-answers.ts';
import { questionId } from './names.ts';
import { newApproval } from './new-approval.ts';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';

/** Whoever worked on it before is gone: nobody carries out any more what was under way. */
export async function recoverStep({
  host,
  agent,
  run,
  step,
}: {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  readonly step: Step;
}): Promise<void> {
  const before = step.state;
  step.withdraws.push(...openQuestions(run.id, before));
  step.add(...withdrawQuestions(before));
  const asked = host.interrupted === 'ask_person' ? interruptedCalls(agent, before) : [];
  for (const { args, call } of asked) {
    const about = { callId: call.id, name: call.name, args };
    // Decided like any approval: yes runs it again under the same key, no tells the model.
    step.add({ type: 'approval.requested', ...about });
    const question = { kind: 'interrupted' } as const;
    step.approvals.push(newApproval({ host, run, step }, { ...about, question }));
  }
  const lost = await lostAnswers(host.store, agent, run, before);
  if (lost.length > 0) step.add({ type: 'run.resumed', again: lost, keepsApprovals: false });
  step.add(...recover(agent, step.state, { keepsApprovals: true }));
}

/** What tools had asked people, by the ids under which that can be answered. */
function openQuestions(runId: string, state: RunState): readonly string[] {
  return openCalls(state).flatMap(({ asks = [], ...open }) =>
    asks.map((seq) => questionId(runId, open, seq)),
  );
}
