import {
  type Agent,
  evolve,
  ForgeError,
  freezeState,
  initialState,
  type RunState,
  snapshotVersion,
  thawState,
} from '@forge/core';
import type { RunRow, Store } from '@forge/store';

/** Events between two snapshots, at least. */
const snapshotEvery = 200;
const page = 500;

/**
 * Whether a snapshot is due after so many events without one. A snapshot costs its window, which may
 * be that of a program with thousands of calls: it is written when about as much has happened.
 */
export function isSnapshotDue(state: RunState, snapshotSeq: number): boolean {
  return state.seq - snapshotSeq >= Math.max(snapshotEvery, state.window.length / 2);
}

/** A snapshot is of a state shape and of an agent's rules, whose facts it holds. */
function versionFor(agent: Agent): string {
  return `${snapshotVersion}:${agent.name}`;
}

/** The state of a run: the last snapshot, and the events since. `invalid_event` if the log is broken. */
export async function loadRun(
  store: Store,
  agent: Agent,
  { id, seq }: RunRow,
): Promise<{ readonly state: RunState; readonly snapshotSeq: number }> {
  // The row is of the lease: nobody has appended since.
  if (seq === 0) return { state: initialState, snapshotSeq: 0 };
  const saved = seq < snapshotEvery ? undefined : await store.snapshot(id, versionFor(agent));
  const thawed = saved === undefined ? undefined : thawState(saved.state);
  let state = thawed ?? initialState;
  const snapshotSeq = state.seq;
  for (;;) {
    const events = await store.events(id, { after: state.seq, limit: page });
    for (const event of events) {
      if ('broken' in event) {
        throw new ForgeError(
          'invalid_event',
          `Event ${event.seq} of run ${id} cannot be read: ${event.broken}`,
        );
      }
      state = evolve(state, event);
    }
    if (events.length < page) return { state, snapshotSeq };
  }
}

export async function saveSnapshot(
  store: Store,
  agent: Agent,
  runId: string,
  state: RunState,
): Promise<void> {
  const version = versionFor(agent);
  await store.saveSnapshot({ runId, seq: state.seq, version, state: freezeState(state) });
}
