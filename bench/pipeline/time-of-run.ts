import type { RunEvent } from '@forge/core';

/** What a moment of a run was spent on. `engine`: on nothing else, so it is ours. */
export type Kind = 'target' | 'sandbox' | 'git' | 'model' | 'engine';

/** An event of a run of the family. */
export interface Happened {
  readonly runId: string;
  readonly event: RunEvent;
}

export interface TimeOfRun {
  readonly total: number;
  /** Milliseconds by kind. Where several go on at once, the first of the list counts: they add up. */
  readonly spent: Readonly<Record<Kind, number>>;
  /** The moments that are the engine's, by what they lie between. */
  readonly gaps: Readonly<Record<Gap, { readonly count: number; readonly ms: number }>>;
}

/** A child begins, a parent hears of its end, or something between two events of one run. */
export type Gap = 'child begins' | 'parent hears' | 'next step';

interface Span {
  readonly kind: Exclude<Kind, 'engine'>;
  readonly from: number;
  readonly to: number;
}

const order = ['target', 'sandbox', 'git', 'model'] as const;

/** Tools that work on the target, and those that only work on commits; all others are in a sandbox. */
const ofTarget = new Set(['check_target', 'deploy', 'health_check', 'smoke_test', 'rollback']);
const ofGit = new Set(['merger', 'publisher']);

/** Where the time of a family of runs went, by its events alone. Pure. */
export function timeOfRun(happened: readonly Happened[], rootId: string): TimeOfRun {
  const ofRoot = happened.filter(({ runId }) => runId === rootId).map(({ event }) => event);
  const from = ofRoot.at(0)?.at ?? 0;
  const to = ofRoot.findLast(({ type }) => type === 'run.finished')?.at ?? from;
  const spans = spansOf(happened);
  const edges = happened
    .map(({ event }) => event.at)
    .filter((at) => at >= from && at <= to)
    .sort((a, b) => a - b);
  const spent = { target: 0, sandbox: 0, git: 0, model: 0, engine: 0 };
  const gaps = {
    'child begins': { count: 0, ms: 0 },
    'parent hears': { count: 0, ms: 0 },
    'next step': { count: 0, ms: 0 },
  };
  for (const [index, start] of edges.entries()) {
    const end = edges[index + 1] ?? start;
    if (end === start) continue;
    const kind =
      order.find((each) =>
        spans.some((span) => span.kind === each && span.from <= start && span.to >= end),
      ) ?? 'engine';
    spent[kind] += end - start;
    if (kind !== 'engine') continue;
    const gap = gaps[gapAt(happened, end)];
    gap.count += 1;
    gap.ms += end - start;
  }
  return { total: to - from, spent, gaps };
}

/** From the event that says that something begins to the one with what came of it. */
function spansOf(happened: readonly Happened[]): readonly Span[] {
  const parents = new Set(
    happened.flatMap(({ runId, event }) =>
      event.type === 'calls.deferred' ? event.callIds.map((id) => `${runId} ${id}`) : [],
    ),
  );
  const begun = new Map<string, number>();
  const spans: Span[] = [];
  for (const { runId, event } of happened) {
    if (event.type === 'model.requested' && event.model !== 'program') {
      begun.set(`${runId} model`, event.at);
    } else if (event.type === 'model.replied') {
      const from = begun.get(`${runId} model`);
      if (from !== undefined) spans.push({ kind: 'model', from, to: event.at });
      begun.delete(`${runId} model`);
    } else if (event.type === 'tool.started') {
      begun.set(`${runId} ${event.callId}`, event.at);
    } else if (event.type === 'tool.finished') {
      const call = `${runId} ${event.callId}`;
      const from = begun.get(call);
      if (from === undefined || parents.has(call)) continue;
      spans.push({ kind: kindOf(event.name), from, to: event.at });
    }
  }
  return spans;
}

function kindOf(tool: string): Span['kind'] {
  if (ofTarget.has(tool)) return 'target';
  return ofGit.has(tool) ? 'git' : 'sandbox';
}

/** By the event the engine was on its way to. */
function gapAt(happened: readonly Happened[], at: number): Gap {
  const next = happened.filter(({ event }) => event.at === at);
  if (next.some(({ event }) => event.type === 'run.started')) return 'child begins';
  const isHeard = next.some(
    ({ runId, event }) =>
      event.type === 'tool.finished' &&
      happened.some(
        (each) =>
          each.runId === runId &&
          each.event.type === 'calls.deferred' &&
          each.event.callIds.includes(event.callId),
      ),
  );
  return isHeard ? 'parent hears' : 'next step';
}
