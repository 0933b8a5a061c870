import type { Agent } from '@forge/core';
import type { InboxMessage, RunRow } from '@forge/store';
import { type RunMessage, readMessage } from '../messages.ts';
import { beginStep } from './begin-step.ts';
import type { SessionHost } from './session-host.ts';
import type { Step } from './step.ts';
import { takeMessage } from './take-message.ts';

interface Mail {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  readonly step: Step;
  /** In the order it came. */
  readonly mail: readonly InboxMessage[];
  readonly signal: AbortSignal;
  /** Stops the model in the middle of its sentence; false if it does not speak. */
  readonly interruptModel: () => boolean;
}

/** What has come for a run becomes part of its next step, each message once. */
export async function takeMail(post: Mail): Promise<void> {
  const { step, mail } = post;
  const first = step.state.seq === 0 ? await beginStep(post) : new Set<number>();
  for (const item of mail) {
    if (first.has(item.id)) continue;
    step.consumes.push(item.id);
    // Before it has begun there is nothing to say to it. Left unread, it would wake the run for ever.
    if (step.state.seq > 0) take(post, item);
  }
}

function take({ agent, run, step, interruptModel }: Mail, { kind, payload }: InboxMessage) {
  const read = readMessage(kind, payload);
  // A message that cannot be read is put away; it must not stop the others.
  if (!read.ok) return;
  const { message } = read;
  const { phase } = step.state;
  if (phase.name === 'finished' && !isHeardAfterTheEnd(run, phase.status, message)) return;
  const interrupts = message.kind === 'input' && message.mode === 'interrupt';
  if (interrupts && phase.name === 'calling' && interruptModel()) {
    // It is asked again, with what was said.
    step.add({ type: 'run.resumed', again: [], keepsApprovals: true });
  }
  takeMessage(agent, step, message);
}

/**
 * What is said to a run that has ended is heard, unless it was cancelled or answers to a parent. What
 * a person thinks of it always is.
 */
function isHeardAfterTheEnd(
  { parentCallId }: RunRow,
  status: 'completed' | 'failed' | 'cancelled',
  { kind }: RunMessage,
): boolean {
  if (kind === 'verdict') return true;
  return kind === 'input' && parentCallId === undefined && status !== 'cancelled';
}
