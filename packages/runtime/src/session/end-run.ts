import { type EndReason, openCalls, text } from '@forge/core';
import type { Step } from './step.ts';

/** Ends a run from outside: every call gets a result, so that the history stays valid. */
export function endRun(
  step: Step,
  end: {
    readonly status: 'failed' | 'cancelled';
    readonly reason: EndReason;
    readonly explanation: string;
  },
): void {
  if (step.state.phase.name === 'finished') return;
  for (const { call } of openCalls(step.state)) {
    const content = [text('[Cancelled]')];
    step.add({
      type: 'tool.finished',
      callId: call.id,
      name: call.name,
      outcome: 'cancelled',
      content,
    });
  }
  step.add({ type: 'run.finished', ...end });
}
