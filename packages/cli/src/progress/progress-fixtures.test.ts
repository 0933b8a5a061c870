import type { Happening, RunEvent } from '@forge/core';
import { evolveProgress, type Member, noProgress, type Progress } from './progress.ts';

export const root: Member = {
  id: 'r',
  agent: 'pipeline',
  title: 'Build a shop',
  parentId: undefined,
  parentCallId: undefined,
};

export function child(id: string, agent: string, parentCallId: string, parentId = 'r'): Member {
  return { id, agent, title: undefined, parentId, parentCallId };
}

/** Events of members, one second apart. */
export function progressOf(...happened: readonly (readonly [Member, Happening])[]): Progress {
  return happened.reduce((progress, [member, happening], index) => {
    const event: RunEvent = {
      v: 1,
      runId: member.id,
      seq: index + 1,
      at: index * 1_000,
      ...happening,
    };
    return evolveProgress(progress, member, event);
  }, noProgress);
}

export const started = (agent: string): Happening => ({
  type: 'run.started',
  agent,
  history: [],
  input: [],
  budget: 1_000,
  budgetSource: 'test',
  reasoningReplay: 'last',
});
export const toolStarted = (callId: string, name: string, args = {}): Happening => ({
  type: 'tool.started',
  ...{ callId, name, args },
  idempotencyKey: callId,
});
export const finished = (
  status: 'completed' | 'failed' | 'cancelled',
  explanation = 'It ended.',
): Happening => ({ type: 'run.finished', status, reason: 'answered', explanation });
