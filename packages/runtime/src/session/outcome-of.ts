import type { Agent, Happening, Judgement, RunState } from '@forge/core';
import type { RunRow } from '@forge/store';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';

/** How a run came out that has just ended: what those who choose models and prompts learn from. */
export function outcomeOf({
  host,
  run,
  agent,
  step: { state, at },
}: {
  readonly host: SessionHost;
  readonly run: RunRow;
  readonly agent: Agent;
  readonly step: Step;
}): Happening {
  const { usage, startedAt } = state;
  const { note, ...judgement } = judge(agent, state);
  const model = modelOf(host, agent, run);
  return {
    type: 'outcome.recorded',
    ...judgement,
    taskType: agent.taskType,
    agent: agent.name,
    ...(model !== undefined && { model }),
    ...(agent.version !== undefined && { promptVersion: agent.version }),
    cost: usage.cost,
    tokens: usage.inputTokens + usage.outputTokens,
    latencyMs: at - startedAt,
    ...(note !== undefined && { note: note.slice(0, longestNote) }),
  };
}

const longestNote = 2_000;

function judge(agent: Agent, { phase, output }: RunState): Judgement {
  const failed = { kind: 'run', verdict: 'failure' } as const;
  if (phase.name !== 'finished' || phase.status !== 'completed' || output === undefined) {
    return phase.name === 'finished' ? { ...failed, note: phase.explanation } : failed;
  }
  try {
    return agent.judge?.(output) ?? { kind: 'run', verdict: 'success' };
  } catch {
    // A judge that cannot read what it is given is no reason to lose the end of the run.
    return { kind: 'run', verdict: 'partial', note: 'The output could not be judged.' };
  }
}

function modelOf(host: SessionHost, agent: Agent, run: RunRow): string | undefined {
  if (agent.program !== undefined) return undefined;
  try {
    return host.model(agent, run).id;
  } catch {
    return undefined;
  }
}
