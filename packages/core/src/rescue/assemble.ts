import { canonicalJson } from '../json.ts';
import { isExplained } from './explanation.ts';
import { type Interval, Intervals } from './intervals.ts';
import type { RescueResult } from './rescue-types.ts';
import type { FoundCall, Removal, Scan } from './scan.ts';

/** Turns the findings of a walk into a result: which calls stand, and what is left to read. */
export function assemble(scan: Scan): RescueResult {
  const { text, removals } = scan;
  const removed = new Intervals(removals.filter(({ kind }) => kind !== 'marker'));
  const standing: FoundCall[] = [];
  const explained: FoundCall[] = [];
  for (const found of scan.found) {
    const { problem } = found;
    const quoted = isExplained(text, found, removed);
    if (quoted) explained.push(found);
    if (problem !== undefined) scan.reject(found.call.name, problem);
    else if (quoted) scan.reject(found.call.name, 'inside an explanation');
    else standing.push(found);
  }
  const chosen = withoutSkeletons(withoutDuplicates(standing));
  const kept = explained.length === 0 ? removals : withoutExplained(removals, standing, explained);
  return {
    calls: chosen.map(({ call }) => call),
    content: contentOf(scan, kept, standing),
    reasoning: scan.reasoning.join('\n'),
    ...(scan.partial === undefined ? {} : { partial: scan.partial }),
    truncated: scan.truncated,
    rejected: scan.rejected,
  };
}

function withoutDuplicates(calls: readonly FoundCall[]): FoundCall[] {
  if (calls.length < 2) return [...calls];
  const seen = new Set<string>();
  return calls.filter(({ call }) => {
    const key = `${call.name} ${canonicalJson(call.args)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A model that stutters writes a call without its arguments and then the whole of it. */
function withoutSkeletons(calls: readonly FoundCall[]): FoundCall[] {
  const whole = new Set(calls.filter(({ fits }) => fits).map(({ call }) => call.name));
  return calls.filter(
    ({ call, fits }) => fits || Object.keys(call.args).length > 0 || !whole.has(call.name),
  );
}

function withoutExplained(
  removals: readonly Removal[],
  standing: readonly FoundCall[],
  explained: readonly FoundCall[],
): Removal[] {
  const quoted = new Intervals(explained);
  const real = new Intervals(standing);
  return removals.filter(
    (removal) =>
      removal.kind === 'reasoning' || !quoted.overlaps(removal) || real.overlaps(removal),
  );
}

/**
 * The text less what was removed. Behind the last call nothing is kept: what a model writes there
 * is the result it imagines. A fence around nothing but a call goes with it.
 */
function contentOf(scan: Scan, removals: readonly Removal[], calls: readonly FoundCall[]): string {
  const { text } = scan;
  const ranges: { start: number; end: number; kind?: Removal['kind'] }[] = [...removals];
  let limit = text.length;
  if (calls.length > 0) {
    limit = 0;
    for (const { end } of calls) limit = Math.max(limit, end);
  }
  ranges.sort((a, b) => a.start - b.start);
  ranges.push(...emptiedFences(scan, ranges));
  ranges.push(...announced(scan, ranges));
  ranges.sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  const firstCall = calls[0]?.start ?? text.length;
  let from = 0;
  let answer = 0;
  const keep = (to: number): void => {
    for (; answer < scan.answers.length; answer++) {
      const { at, text: words } = scan.answers[answer] ?? { at: 0, text: '' };
      if (at > to) break;
      pieces.push(words.trim());
    }
    if (to <= from) return;
    const piece = text.slice(from, to).trim();
    if (from < firstCall || !isSeparator(piece)) pieces.push(piece);
  };
  for (const { start, end } of ranges) {
    keep(Math.min(start, limit));
    from = Math.max(from, end);
    if (from >= limit) break;
  }
  keep(limit);
  return pieces.filter((piece) => piece !== '').join('\n');
}

/** `Action:` and the like directly before a call are part of it. */
function announced(
  scan: Scan,
  ranges: readonly (Interval & { kind?: Removal['kind'] })[],
): Interval[] {
  if (scan.announcements.length === 0) return [];
  const removed = new Intervals(ranges.filter(({ kind = 'call' }) => kind === 'call'));
  return scan.announcements.filter(({ end }) => {
    const next = removed.nextStart(end);
    return next !== undefined && isBlank(scan.text, end, next);
  });
}

function isSeparator(piece: string): boolean {
  return piece === ';' || piece === ',' || piece === ']';
}

/** Fences around calls and nothing else: `ranges` is sorted. */
function emptiedFences(
  scan: Scan,
  ranges: readonly { start: number; end: number; kind?: Removal['kind'] }[],
): { start: number; end: number }[] {
  const emptied: { start: number; end: number }[] = [];
  let next = 0;
  for (const { start, bodyStart, bodyEnd, end } of scan.fences) {
    while (next < ranges.length && (ranges[next]?.end ?? 0) <= start) next++;
    let from = bodyStart;
    let blank = true;
    let some = false;
    for (let i = next; i < ranges.length && blank; i++) {
      const range = ranges[i];
      if (range === undefined || range.start >= end) break;
      if (range.start > from) blank = isBlank(scan.text, from, range.start);
      from = Math.max(from, range.end);
      some ||= range.kind === 'call';
    }
    if (some && blank && (from >= bodyEnd || isBlank(scan.text, from, bodyEnd))) {
      emptied.push({ start, end });
    }
  }
  return emptied;
}

function isBlank(text: string, from: number, to: number): boolean {
  const rest = text.slice(from, to).trim();
  return rest === '' || isSeparator(rest);
}
