import { type Message, type ToolResultPart, text } from '../messages/message.ts';
import { shrinkResult, textIn } from './cut-result.ts';
import { cutText, savedSpace } from './cut-text.ts';
import type { Draft } from './draft.ts';
import type { ContextEntry } from './entry.ts';
import type { Unit } from './units.ts';

export interface TierInput {
  readonly draft: Draft;
  readonly window: readonly ContextEntry[];
  readonly units: readonly Unit[];
  readonly old: readonly Unit[];
  /** A tier goes from old to new and stops as soon as fewer tokens than this are left. */
  readonly goal: number;
  readonly shrinkTo: number;
}

/** A reply the model took back says nothing about the work. The newest stays while it is unseen. */
export function dropRefusals({ draft, units, goal }: TierInput): void {
  for (const unit of units) {
    if (draft.tokens < goal) return;
    if (unit.kind === 'refusal' && !unit.live) draft.drop(unit);
  }
}

export function shrinkResults({ draft, window, old, goal, shrinkTo }: TierInput): void {
  for (const position of resultsIn(window, old)) {
    if (draft.tokens < goal) return;
    mapResults(draft, window, position, (part) =>
      shrinkResult(part, { maxChars: shrinkTo, marker: savedSpace }),
    );
  }
}

const resultRemoved = '[result removed to save space]';

/**
 * The message stays with a one-line note: the model still sees what it did, in order, and does not
 * do it again; ids and pairs hold.
 */
export function dropResults({ draft, window, old, goal }: TierInput): void {
  for (const position of resultsIn(window, old)) {
    if (draft.tokens < goal) return;
    mapResults(draft, window, position, noteRemoval);
  }
}

/** What is left of a result whose content was taken out. */
export function noteRemoval(part: ToolResultPart): ToolResultPart {
  return { ...part, content: [text(resultRemoved)] };
}

/**
 * Old reasoning goes. Old answers are cut, not dropped: a question whose answer is gone is asked
 * again by the model itself.
 */
export function dropReasoning({ draft, window, old, goal, shrinkTo }: TierInput): void {
  for (const unit of old) {
    if (unit.kind !== 'step') continue;
    for (const position of unit.positions) {
      if (draft.tokens < goal) return;
      const message = window[position]?.message;
      const shorter = message === undefined ? undefined : shortAnswer(message, shrinkTo);
      if (shorter === undefined) draft.dropReasoning(position);
      else draft.replace(position, shorter);
    }
  }
}

const stepsRemoved = '[Earlier steps of this conversation were removed to save space.]';

/**
 * Whole steps go, calls and results together, the oldest first. Without this tier the one-line
 * notes of a long run would fill the window in the end. One note says that there was more.
 */
export function dropSteps({ draft, window, old, goal }: TierInput): void {
  let noted = old.find((unit) => isStepsNote(unit, window));
  for (const unit of old) {
    if (draft.tokens < goal) return;
    if (unit.kind !== 'step' && unit.kind !== 'orphan') continue;
    if (noted !== undefined) draft.drop(noted);
    draft.note(unit, stepsRemoved);
    noted = unit;
  }
}

/**
 * The last resort, when what is recent does not fit by itself: the largest results are cut, each
 * only as far as needed.
 */
export function shrinkRecent({ draft, window, units, old, goal, shrinkTo }: TierInput): void {
  const gone = new Set(old);
  const recent = units.filter((unit) => unit.kind === 'step' && !gone.has(unit));
  const largestFirst = resultsIn(window, recent).sort((a, b) => draft.cost(b) - draft.cost(a));
  for (const position of largestFirst) {
    const cost = draft.cost(position);
    let chars = charsIn(window, position);
    const share = Math.max(0, cost - (draft.tokens - goal)) / cost;
    chars = Math.floor(chars * Math.min(0.9, share));
    while (draft.tokens >= goal) {
      const maxChars = Math.max(chars, shrinkTo);
      mapResults(draft, window, position, (part) =>
        shrinkResult(part, { maxChars, marker: savedSpace }),
      );
      if (chars <= shrinkTo) break;
      chars = Math.floor(chars * 0.8);
    }
  }
}

function resultsIn(window: readonly ContextEntry[], units: readonly Unit[]): number[] {
  const steps = units.filter((unit) => unit.kind === 'step');
  return steps
    .flatMap((unit) => unit.positions)
    .filter((position) => window[position]?.message.role === 'tool');
}

function mapResults(
  draft: Draft,
  window: readonly ContextEntry[],
  position: number,
  change: (part: ToolResultPart) => ToolResultPart,
): void {
  const message = window[position]?.message;
  if (message?.role !== 'tool') return;
  draft.replace(position, { ...message, content: message.content.map(change) });
}

function charsIn(window: readonly ContextEntry[], position: number): number {
  const message = window[position]?.message;
  if (message?.role !== 'tool') return 0;
  return Math.max(0, ...message.content.map((part) => textIn(part).length));
}

function shortAnswer(message: Message, maxChars: number): Message | undefined {
  if (message.role !== 'assistant') return undefined;
  let words = '';
  for (const part of message.content) {
    if (part.type === 'tool_call') return undefined;
    if (part.type === 'text') words += part.text;
  }
  if (words.length <= maxChars) return undefined;
  return { ...message, content: [text(cutText(words, maxChars, savedSpace))] };
}

function isStepsNote(unit: Unit, window: readonly ContextEntry[]): boolean {
  const message = window[unit.positions[0] ?? -1]?.message;
  const [part] = unit.kind === 'summary' && message !== undefined ? message.content : [];
  return part?.type === 'text' && part.text === stepsRemoved;
}
