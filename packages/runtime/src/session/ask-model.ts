import { type Agent, type Happening, messageOf, recordable, untilAborted } from '@forge/core';
import type { RunRow } from '@forge/store';
import type { Act } from './plan-step.ts';
import type { SessionHost } from './session-host.ts';

/** Asks the model and gives what it said, or that it failed; nothing if the signal stopped it. */
export async function askModel({
  host,
  agent,
  run,
  act: { turn, request },
  signal,
}: {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  readonly act: Extract<Act, { type: 'call_model' }>;
  readonly signal: AbortSignal;
}): Promise<Happening | undefined> {
  const { onDelta } = host;
  const told = onDelta && {
    onDelta: (delta: Parameters<typeof onDelta>[1]) => onDelta(run.id, delta),
  };
  try {
    const model = host.model(agent, run);
    const reply = await untilAborted(() => model.complete(request, { signal, ...told }), signal);
    await host.stopAt?.('after_effect', run.id);
    if (signal.aborted) return undefined;
    const answered = reply.model ?? model.id;
    return { type: 'model.replied', turn, reply: recordable(reply), model: answered };
  } catch (error) {
    // Given up by us: whoever goes on asks again.
    if (signal.aborted) return undefined;
    return { type: 'model.failed', turn, error: messageOf(error) };
  }
}
