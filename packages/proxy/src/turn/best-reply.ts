import { type Problem, textOf } from '@forge/core';
import type { WireReply } from '@forge/models';
import { callsOf } from './edit-reply.ts';

/** The least bad of the refused replies. Of equals, the last one. */
export class BestReply {
  reply: WireReply | undefined;
  #worth = -1;

  offer(reply: WireReply, problems: readonly Problem[]) {
    const worth = worthOf(reply, problems);
    if (worth < this.#worth) return;
    this.#worth = worth;
    this.reply = reply;
  }
}

/** Sound calls that came at the wrong time, then words, then calls of real tools, then the rest. */
function worthOf(reply: WireReply, problems: readonly Problem[]): number {
  const hasCalls = callsOf(reply.content).length > 0;
  if (!hasCalls) return textOf(reply).trim() === '' ? 0 : 3;
  if (problems.every(({ kind }) => wrongTime.has(kind))) return 4;
  return problems.some(({ kind }) => kind === 'unknown_tool') ? 1 : 2;
}

const wrongTime: ReadonlySet<Problem['kind']> = new Set([
  'steps_missing',
  'prerequisite_missing',
  'loop',
]);
