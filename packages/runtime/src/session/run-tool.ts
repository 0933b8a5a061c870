import {
  type Agent,
  type CallContext,
  type Happening,
  holdsRedacted,
  performTool,
  text,
} from '@forge/core';
import type { Act } from './plan-step.ts';
import type { SessionHost } from './session-host.ts';

/** Runs a tool and gives its result; nothing if the signal stopped it. */
export async function runTool({
  host,
  agent,
  runId,
  act: { callId, name, args, idempotencyKey },
  signal,
  askPerson,
}: {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly runId: string;
  readonly act: Extract<Act, { type: 'run_tool' }>;
  readonly signal: AbortSignal;
  readonly askPerson: CallContext['askPerson'];
}): Promise<Happening | undefined> {
  const tool = agent.guard.tools.get(name);
  if (tool === undefined) {
    // Another version of the agent accepted the call; that is no reason to give up the run.
    const content = [text(`[ToolError] There is no tool "${name}" any more.`)];
    return { type: 'tool.finished', callId, name, outcome: 'error', content };
  }
  if (host.store.redactor !== undefined && holdsRedacted(args)) {
    return { type: 'tool.finished', callId, name, outcome: 'error', content: [notMeant(name)] };
  }
  const performed = await performTool(tool, args, {
    runId,
    callId,
    idempotencyKey,
    signal,
    askPerson,
  });
  await host.stopAt?.('after_effect', runId);
  // Stopped by us: whether it took effect is for the next worker to say.
  if (signal.aborted) return undefined;
  return { type: 'tool.finished', callId, name, ...performed };
}

/** The store keeps no secrets, so the call cannot be made as it was meant; another may do harm. */
function notMeant(name: string) {
  return text(
    `[ToolError] ${name} was not run: its arguments hold [redacted:…] in the place of a secret, and secrets are not kept. Call it without the secret, for example with the name of a variable that holds it ($API_KEY), or ask a person.`,
  );
}
