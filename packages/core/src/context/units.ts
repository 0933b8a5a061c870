import type { ContextEntry } from './entry.ts';
import { type Pairing, pairCalls } from './pair-calls.ts';
import type { PendingCalls } from './pending-calls.ts';

/**
 * - `input`: something the caller said. Never lost or altered.
 * - `step`: an accepted reply with the results of its calls.
 * - `refusal`: a rejected reply with its nudges, or a nudge of its own.
 * - `summary`: stands for older entries.
 * - `orphan`: results without a call. They are never sent.
 */
export type UnitKind = 'input' | 'step' | 'refusal' | 'summary' | 'orphan';

/** Entries that only make sense together, and so go together or stay together. */
export interface Unit {
  readonly kind: UnitKind;
  /** Positions in the window, rising. The first is the reply, where there is one. */
  readonly positions: readonly number[];
  /**
   * A call still waits for its result, or there is something here the model has not seen yet.
   * Such a unit is never dropped: the model would be asked again without being told.
   */
  readonly live: boolean;
}

interface Growing {
  kind: UnitKind;
  readonly positions: number[];
  live: boolean;
}

/**
 * The window in units, in the order of their first entries; each entry is in exactly one. Without
 * `pendingCalls` every unanswered call of an accepted reply counts as waiting.
 */
export function groupUnits(
  window: readonly ContextEntry[],
  pendingCalls?: PendingCalls,
): readonly Unit[] {
  const pairing = pairCalls(window);
  const lastReply = window.findLastIndex(({ message }) => message.role === 'assistant');
  const units: Growing[] = [];
  const unitAt: Growing[] = [];
  let refusal: Growing | undefined;

  window.forEach((entry, at) => {
    const joined = unitToJoin({ entry, at, pairing, unitAt, refusal });
    const unit = joined ?? { kind: kindOf(entry), positions: [], live: false };
    if (joined === undefined) units.push(unit);
    unit.positions.push(at);
    unitAt.push(unit);
    if (entry.kind === 'input') unit.kind = 'input';
    if (at > lastReply || waits(entry, at, pairing, pendingCalls)) unit.live = true;
    if (entry.message.role === 'assistant') {
      refusal = entry.kind === 'rejected' ? unit : undefined;
    }
  });
  return units;
}

function unitToJoin({
  entry,
  at,
  pairing,
  unitAt,
  refusal,
}: {
  entry: ContextEntry;
  at: number;
  pairing: Pairing;
  unitAt: readonly Growing[];
  refusal: Growing | undefined;
}): Growing | undefined {
  const caller = pairing.callers.get(at)?.[0];
  if (caller !== undefined) return unitAt[caller];
  if (entry.kind === 'nudge' && entry.message.role !== 'assistant') return refusal;
  return undefined;
}

function kindOf({ kind, message }: ContextEntry): UnitKind {
  switch (kind) {
    case 'input':
    case 'summary':
      return kind;
    case 'rejected':
    case 'nudge':
      return 'refusal';
    case 'reply':
      return 'step';
    case 'result':
      return message.role === 'tool' ? 'orphan' : 'step';
    default:
      return kind satisfies never;
  }
}

function waits(
  { kind }: ContextEntry,
  at: number,
  pairing: Pairing,
  pendingCalls: PendingCalls | undefined,
): boolean {
  if (kind === 'rejected') return false;
  const slots = pairing.calls.get(at) ?? [];
  return slots.some(
    ({ call, answer }) =>
      answer === undefined && (pendingCalls === undefined || pendingCalls.has(call.id)),
  );
}
