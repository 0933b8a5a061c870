import { admitChange } from './admit-change.ts';
import type { Change, CompactionInput, Correction, SummaryRequest } from './compaction.ts';
import type { ContextEntry } from './entry.ts';
import { noteRemoval } from './tiers.ts';
import type { Unit } from './units.ts';

interface Proposal {
  readonly changes: readonly Change[];
  readonly summarize?: SummaryRequest;
}

export interface EnforcedPlan extends Proposal {
  readonly corrections: readonly Correction[];
}

/**
 * Makes any plan safe to apply. Inputs are not touched. What is live is not dropped. A unit goes
 * whole or not at all: with its reply go its results, while a result dropped by itself leaves a
 * note. A replacement keeps role, ids and names and is smaller. A summary replaces whole units and
 * is at most half their size. Linear in window and plan.
 */
export function enforceInvariants(input: CompactionInput, plan: Proposal): EnforcedPlan {
  const corrections: Correction[] = [];
  const admitted = admit(input, plan.changes, corrections);
  const changes: Change[] = [];
  const left: Unit[] = [];
  for (const unit of input.units) {
    const asked = unit.positions.map((position) => admitted.get(position));
    const whole = goesWhole(unit, asked);
    if (!whole) left.push(unit);
    const note = asked.find((change) => change?.action === 'note');
    unit.positions.forEach((position, index) => {
      const entry = input.window[position];
      const change = asked[index];
      if (entry === undefined) return;
      if (whole) {
        const isNote = change !== undefined && change === note;
        changes.push(isNote ? change : { entry: entry.id, action: 'drop' });
        if (change === undefined) corrections.push({ entry: entry.id, reason: 'unit' });
      } else if (change?.action === 'drop') {
        corrections.push({ entry: entry.id, reason: 'unit' });
        changes.push(...emptied(entry, input));
      } else if (change !== undefined) {
        changes.push(change);
      }
    });
  }
  const summarize = input.canSummarize ? closeSummary(input, plan.summarize, left) : undefined;
  return summarize === undefined ? { changes, corrections } : { changes, corrections, summarize };
}

/** The changes that may be made, by position. A second change to one entry replaces the first. */
function admit(
  { window, units, countTokens }: CompactionInput,
  changes: readonly Change[],
  corrections: Correction[],
): ReadonlyMap<number, Change> {
  const positions = new Map(window.map(({ id }, at) => [id, at]));
  const unitAt = new Map<number, Unit>();
  for (const unit of units) for (const at of unit.positions) unitAt.set(at, unit);

  const admitted = new Map<number, Change>();
  for (const change of changes) {
    const at = positions.get(change.entry) ?? -1;
    const unit = unitAt.get(at);
    const message = window[at]?.message;
    const reason =
      unit === undefined || message === undefined
        ? 'unknown'
        : admitChange({ change, unit, message, countTokens });
    if (reason === undefined) admitted.set(at, change);
    else corrections.push({ entry: change.entry, reason });
  }
  return admitted;
}

/** The first entry of a step is its reply. Refusals have no half that makes sense. */
function goesWhole(unit: Unit, asked: readonly (Change | undefined)[]): boolean {
  if (asked.some((change) => change?.action === 'note')) return true;
  if (unit.kind === 'step') return asked[0]?.action === 'drop';
  return asked.some((change) => change?.action === 'drop');
}

function emptied({ id, message }: ContextEntry, { countTokens }: CompactionInput): Change[] {
  if (message.role !== 'tool') return [];
  const note = { ...message, content: message.content.map(noteRemoval) };
  const smaller = countTokens(note) < countTokens(message);
  return smaller ? [{ entry: id, action: 'replace', message: note }] : [];
}

function closeSummary(
  { window, countTokens }: CompactionInput,
  request: SummaryRequest | undefined,
  units: readonly Unit[],
): SummaryRequest | undefined {
  if (request === undefined) return undefined;
  const asked = new Set(request.entries);
  const entries: ContextEntry[] = [];
  for (const unit of units) {
    if (unit.kind === 'input' || unit.kind === 'orphan' || unit.live) continue;
    const members = unit.positions.flatMap((position) => window[position] ?? []);
    if (members.some(({ id }) => asked.has(id))) entries.push(...members);
  }
  const replaced = entries.reduce((sum, { message }) => sum + countTokens(message), 0);
  const maxTokens = Math.floor(Math.min(request.maxTokens, replaced / 2));
  if (!(maxTokens > 0)) return undefined;
  return { entries: entries.map(({ id }) => id).sort((a, b) => a - b), maxTokens };
}
