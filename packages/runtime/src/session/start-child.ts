import type { JsonObject } from '@forge/core';
import type { NewRun, RunRow } from '@forge/store';
import { childId } from './names.ts';

/** Agents that start agents end somewhere. */
export const deepestAgents = 8;
const depthLabel = 'forge.depth';

/** The run that answers a call, or undefined where agents are nested too deep already. */
export function startChild(
  run: RunRow,
  {
    agent,
    turn,
    callId,
    args,
  }: {
    readonly agent: string;
    readonly turn: number;
    readonly callId: string;
    readonly args: JsonObject;
  },
): NewRun | undefined {
  const depth = Number(run.labels[depthLabel] ?? 0) + 1;
  if (!(depth <= deepestAgents)) return undefined;
  return {
    id: childId(run.id, turn, callId),
    agent,
    priority: run.priority,
    parent: { runId: run.id, callId },
    // What the family works on: its project, its repository.
    labels: { ...run.labels, [depthLabel]: String(depth) },
    ...(run.tenant !== undefined && { tenant: run.tenant }),
    inbox: [{ kind: 'input', payload: { messages: [taskOf(args)] } }],
  };
}

/** The arguments as the first words to another agent: its task, or all of them. */
function taskOf(args: JsonObject) {
  const { task } = args;
  const said =
    typeof task === 'string' && Object.keys(args).length === 1 ? task : JSON.stringify(args);
  return { role: 'user' as const, content: [{ type: 'text' as const, text: said }] };
}
