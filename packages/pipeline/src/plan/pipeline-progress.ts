import type { ProgramView } from '@forge/core';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';
import { type Trace, tracePipeline } from './trace.ts';

export type NodeStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'dormant';

export interface ItemView {
  readonly key: string;
  readonly status: NodeStatus;
  readonly attempt: number;
  readonly callId?: string;
  /** Why it failed. */
  readonly reason?: string;
}

/** A node as a display shows it. */
export interface NodeView {
  readonly id: string;
  readonly agent: string;
  /** `dormant`: only a loop leads here, and none has yet. */
  readonly status: NodeStatus;
  /** Which turn of it this is; 0 before the first. */
  readonly round: number;
  /** Which try of this round; of several items the highest. 0 before the first. */
  readonly attempt: number;
  /** Its calls in this round: of an `each`, the last of each item. */
  readonly callIds: readonly string[];
  readonly items?: readonly ItemView[];
  readonly reason?: string;
}

/** Where a run of the pipeline stands, nodes in the order of the graph. Reads each call once. */
export function pipelineProgress(checked: CheckedPipeline, view: ProgramView): NodeView[] {
  const trace = tracePipeline(checked, view);
  const again = mayComeAgain(checked, trace);
  return checked.nodes.flatMap(({ id, definition: { agent } }, index) => {
    const state = trace.nodes[index];
    if (state === undefined) return [];
    const { round, attempt, callIds, items, reason } = state;
    // Passed over in this round, which may not be the last.
    const status = state.status === 'skipped' && again.has(index) ? 'pending' : state.status;
    return [
      {
        id,
        agent,
        status: shown(status),
        round,
        attempt,
        callIds,
        ...(items !== undefined && {
          items: items.map((item) => ({
            key: item.key,
            status: shown(item.status),
            attempt: item.attempt,
            ...(item.callId !== undefined && { callId: item.callId }),
            ...(item.status === 'failed' && { reason: item.reason }),
          })),
        }),
        ...(reason !== undefined && { reason }),
      },
    ];
  });
}

/** The nodes that a loop may still have done anew, because its source is not through. */
function mayComeAgain({ loops }: CheckedPipeline, { nodes, failures }: Trace): Set<number> {
  if (failures.length > 0) return new Set();
  return new Set(
    loops.flatMap(({ from, region }) => {
      const source = nodes[from];
      const isThrough =
        source === undefined ||
        (!source.isHeld && ['done', 'failed', 'skipped', 'dormant'].includes(source.status));
      return isThrough ? [] : region;
    }),
  );
}

/** What may begin and has not waits for room. */
function shown(status: NodeStatus | 'ready'): NodeStatus {
  return status === 'ready' ? 'pending' : status;
}
