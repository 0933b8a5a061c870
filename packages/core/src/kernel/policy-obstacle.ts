import type { Agent } from '../agents/define-agent.ts';
import type { CallState, RunState } from './state.ts';

/**
 * What the model is told of a call that its tool's policy refuses: by its arguments, or because the
 * run has used the tool as often as it may. Asked before a person is, so that nobody says yes to what
 * cannot run.
 */
export function policyObstacle({
  agent,
  state,
  call: { call, args },
  starting,
}: {
  readonly agent: Agent;
  readonly state: RunState;
  readonly call: CallState;
  /** The tools of calls that start in this very decision. */
  readonly starting: readonly string[];
}): string | undefined {
  const tool = agent.guard.tools.get(call.name);
  if (tool === undefined) return undefined; // Checked long before.
  const why = tool.denies?.(args);
  if (why !== undefined) return `[Denied] ${why}`;
  const { budget } = tool;
  if (budget === undefined) return undefined;
  const counts = (name: string) => budget.tools.includes(name);
  const started = Object.entries(state.toolRuns).reduce(
    (sum, [name, runs]) => (counts(name) ? sum + runs : sum),
    starting.filter(counts).length,
  );
  if (started < budget.calls) return undefined;
  const times = budget.calls === 1 ? 'once' : `${budget.calls} times`;
  return `[Denied] Budget exhausted: ${call.name} may run ${times} in one run, and has. Go on without it.`;
}
