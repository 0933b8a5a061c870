import { findThoughtEnd } from './find-thought-end.ts';
import { type Marker, squash } from './markers.ts';
import type { Tag } from './tag.ts';
import type { Walker } from './walker.ts';

/** A tag of reasoning, opening or closing. */
export function walkThought(walker: Walker, tag: Tag, marker: Marker): number {
  const { start, end } = tag;
  if (tag.close || marker.role === 'thinkEnd') return endThoughtsBefore(walker, start, end);
  walker.settle(start);
  if (walker.zone?.pending === true) return end;
  walker.leave();
  const token = squash(tag.name) === 'contentthinking' ? '<|end_message|>' : undefined;
  return takeThought(walker, { start, from: end, token });
}

/** Reasoning from `from` up to its end marker, or to the end of the text. */
export function takeThought(
  walker: Walker,
  { start, from, token }: { start: number; from: number; token?: string | undefined },
): number {
  const { scan } = walker;
  const close = findThoughtEnd(scan.text, from, token);
  const end = close?.end ?? scan.text.length;
  scan.visits += end - from;
  if (close === undefined) {
    scan.truncated = true;
    scan.unclosedThought = true;
  }
  scan.reasoned = true;
  const thought = scan.text.slice(from, close?.start ?? end).trim();
  if (thought !== '') scan.reasoning.push(thought);
  scan.remove(start, end, 'reasoning');
  return end;
}

/** A closing tag without an opening one: the template opened it, so all before was reasoning. */
export function endThoughtsBefore(walker: Walker, start: number, end: number): number {
  walker.zone = undefined;
  walker.thoughts = [];
  walker.scan.reasoned = true;
  walker.scan.turnIntoReasoning(start);
  walker.scan.removals = [{ start: 0, end, kind: 'reasoning' }];
  return end;
}
