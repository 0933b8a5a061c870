import type { RunView } from '@forge/runtime';

/** A run in the words a program reads. */
export function describeRun({ run, status, state }: RunView): Record<string, unknown> {
  const { phase, turn, usage, output } = state;
  return {
    run_id: run.id,
    agent: run.agent,
    title: run.title,
    status,
    // A run that nobody can work on any more says so here and not in its own log.
    ...(run.state === 'dead' && { status: 'dead' }),
    turns: turn,
    usage,
    ...(output !== undefined && { answer: output.text }),
    ...(phase.name === 'finished' && { reason: phase.reason, explanation: phase.explanation }),
  };
}
