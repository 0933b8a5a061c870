import { type Agent, beginRun } from '@forge/core';
import type { InboxMessage, RunRow } from '@forge/store';
import { readMessage } from '../messages.ts';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';

/** All input that is there begins the run together; nothing else does. Gives the messages it took. */
export async function beginStep({
  host,
  agent,
  run,
  step,
  mail,
  signal,
}: {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  readonly step: Step;
  readonly mail: readonly InboxMessage[];
  readonly signal: AbortSignal;
}): Promise<ReadonlySet<number>> {
  const inputs = mail.flatMap((item) => {
    const read = readMessage(item.kind, item.payload);
    return read.ok && read.message.kind === 'input' ? [{ id: item.id, ...read.message }] : [];
  });
  // To be cancelled it has to begin: a log has a beginning.
  if (inputs.length === 0 && !mail.some(({ kind }) => kind === 'cancel')) return new Set();
  const input = inputs.flatMap(({ messages }) => messages);
  const model = agent.program === undefined ? host.model(agent, run) : undefined;
  step.add(await beginRun({ agent, model, input, signal }));
  const { duration } = agent.guard.limits;
  if (Number.isFinite(duration) && !agent.standing) step.timers.deadline = step.at + duration;
  const taken = new Set(inputs.map(({ id }) => id));
  step.consumes.push(...taken);
  return taken;
}
