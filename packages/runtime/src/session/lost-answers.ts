import { type Agent, openCalls, type RunState } from '@forge/core';
import type { RunRow, Store } from '@forge/store';
import { approvalId, childId } from './names.ts';

/**
 * Calls that wait for somebody outside who was never asked: a fork has the log of its run, but
 * neither its children nor its questions. They are to be asked for anew, in the first step the fork
 * writes: once it has written anything, nobody has to look again.
 */
export async function lostAnswers(
  store: Store,
  { guard }: Agent,
  { id: runId, seq, forkedFrom }: RunRow,
  state: RunState,
): Promise<readonly string[]> {
  if (forkedFrom?.seq !== seq) return [];
  const lost: string[] = [];
  for (const open of openCalls(state)) {
    const { call, status, turn } = open;
    const answeredBy = guard.tools.get(call.name)?.answeredBy;
    const waitsForPerson =
      status === 'asked' || (status === 'running' && answeredBy?.type === 'person');
    if (waitsForPerson) {
      if (!(await wasAsked(store, runId, approvalId(runId, open)))) lost.push(call.id);
    } else if (status === 'running' && answeredBy?.type === 'agent') {
      if ((await store.run(childId(runId, turn, call.id))) === undefined) lost.push(call.id);
    }
  }
  return lost;
}

/** A question has an id that goes on after that of the call. */
async function wasAsked(store: Store, runId: string, id: string): Promise<boolean> {
  if ((await store.approval(id)) !== undefined) return true;
  let after: string | undefined;
  do {
    const page = await store.approvals({ runId }, after === undefined ? {} : { after });
    if (page.items.some((approval) => approval.id.startsWith(`${id}:`))) return true;
    after = page.next;
  } while (after !== undefined);
  return false;
}
