import { type JsonObject, openCall, type RunState } from '@forge/core';
import type { NewApproval, RunRow } from '@forge/store';
import type { Question } from '../human/question.ts';
import { approvalId } from './names.ts';
import type { SessionHost } from './session-host.ts';

/** What a person is to decide on, with who may and until when. */
export function newApproval(
  {
    host: { approvalTtl, deciders },
    run,
    step: { state, at },
  }: {
    readonly host: SessionHost;
    readonly run: RunRow;
    readonly step: { readonly state: RunState; readonly at: number };
  },
  {
    callId,
    name,
    args,
    question,
  }: {
    readonly callId: string;
    readonly name: string;
    readonly args: JsonObject;
    readonly question?: Question;
  },
): NewApproval {
  const allowed = deciders?.(run);
  const turn = openCall(state, callId)?.turn ?? state.turn;
  return {
    // A question may come after an approval of the same call, and again after a crash.
    id: approvalId(
      run.id,
      { call: { id: callId }, turn },
      question === undefined ? undefined : state.seq,
    ),
    callId,
    tool: name,
    proposed: args,
    ...(allowed !== undefined && { deciders: allowed }),
    ...(approvalTtl !== undefined && { expiresAt: at + approvalTtl }),
    ...(question !== undefined && { question }),
  };
}
