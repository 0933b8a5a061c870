import {
  type Agent,
  type CallState,
  type Happening,
  openCalls,
  type RunState,
  text,
} from '@forge/core';

/** Calls that had begun when their worker died and are not safe to repeat: nobody knows what they did. */
export function interruptedCalls({ guard }: Agent, state: RunState): readonly CallState[] {
  return openCalls(state).filter(
    ({ call, status }) =>
      status === 'running' && !call.external && !guard.tools.get(call.name)?.idempotent,
  );
}

/** What the model is told of one that is not run again. That is no denial: it may have taken effect. */
export function notRunAgain({ call: { id, name } }: CallState, why: string): Happening {
  const said =
    `[Interrupted] ${name} had begun when the run was interrupted, and is not run again: ${why}. ` +
    'Whether it took effect is not known: find out before you rely on it.';
  return { type: 'tool.finished', callId: id, name, outcome: 'cancelled', content: [text(said)] };
}
