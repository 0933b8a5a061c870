import { nearestLines } from '../files/nearest-lines.ts';
import { type Hunk, patchMisses, patchProblem } from './file-patch.ts';
import { findBlock } from './find-block.ts';

/**
 * A file with hunks applied. A hunk goes where its old lines stand: at the line it names if they
 * stand there, else at the only place where they do. Two places and nothing to choose by is a
 * problem, not a guess. Works on bytes, keeps the line ends of the file.
 */
export function applyHunks(path: string, content: Buffer, hunks: readonly Hunk[]): Buffer {
  // One character a byte, so that what is no UTF-8 comes out as it went in.
  const raw = content.toString('latin1').split('\n');
  const bare = raw.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const crlf = raw.length > 1 && raw.slice(0, -1).every((line) => line.endsWith('\r'));
  const output: string[] = [];
  let cursor = 0;
  let drift = 0;
  let last: Hunk | undefined;
  for (const [index, hunk] of hunks.entries()) {
    const old = bytesOf(hunk, '+');
    const start = placeOf({ path, bare, old, hunk, cursor, drift, index, content });
    for (; cursor < start; cursor++) output.push(raw[cursor] ?? '');
    for (const { op, text } of hunk.lines) {
      if (op === '+') output.push(latin(text) + (crlf ? '\r' : ''));
      else if (op === ' ') output.push(raw[cursor++] ?? '');
      else cursor++;
    }
    if (hunk.line !== undefined && old.length > 0) drift = start - (hunk.line - 1);
    last = hunk;
  }
  const reachesEnd = cursor >= raw.length || (cursor === raw.length - 1 && raw.at(-1) === '');
  for (; cursor < raw.length; cursor++) output.push(raw[cursor] ?? '');
  if (last !== undefined && reachesEnd) fixEnd(output, last, raw.at(-1) === '');
  return Buffer.from(output.join('\n'), 'latin1');
}

/** Gives the last line its line break, or takes it, where the patch says so. */
function fixEnd(output: string[], { bareEnd }: Hunk, ended: boolean): void {
  if (bareEnd.old && !bareEnd.new && !ended) output.push('');
  if (bareEnd.new && !bareEnd.old && ended) output.pop();
}

interface Search {
  readonly path: string;
  readonly bare: readonly string[];
  readonly old: readonly string[];
  readonly hunk: Hunk;
  readonly cursor: number;
  readonly drift: number;
  readonly index: number;
  readonly content: Buffer;
}

function placeOf(search: Search): number {
  const { path, bare, old, hunk, cursor, drift, index, content } = search;
  const where = `part ${index + 1} of ${JSON.stringify(path)}`;
  if (old.length === 0) return insertionPlace(search, where);
  const named = hunk.line === undefined ? undefined : hunk.line - 1 + drift;
  const all = findBlock(bare, old).filter((place) => place >= cursor && endsRight(place, search));
  const places = all.filter((place) => anchorsBefore(place, search));
  if (named !== undefined && places.includes(named)) return named;
  const [first] = places;
  if (first === undefined) {
    const wanted = Buffer.from(old.join('\n'), 'latin1').toString();
    throw patchMisses(
      `${where} does not fit: its old lines are not there${index > 0 ? ' after the part before' : ''}.`,
      nearestLines(content, wanted),
    );
  }
  // An anchor says where to begin, so the first place behind it is meant.
  if (places.length === 1 || hunk.anchors.length > 0) return first;
  const lines = places.slice(0, 10).map((place) => place + 1);
  throw patchProblem(
    `${where} fits at ${places.length} places, lines ${lines.join(', ')}. Add lines of context until it is unique.`,
  );
}

function endsRight(place: number, { bare, old, hunk }: Search): boolean {
  if (!hunk.atEnd) return true;
  const end = place + old.length;
  return end === bare.length || (end === bare.length - 1 && bare.at(-1) === '');
}

/** Whether the anchors stand in order between the part before and the place. */
function anchorsBefore(place: number, { bare, hunk, cursor }: Search): boolean {
  return hunk.anchors.length === 0 || afterAnchors(bare, hunk, cursor) <= place;
}

/** The line after the last anchor; past the end if one is missing. */
function afterAnchors(bare: readonly string[], hunk: Hunk, cursor: number): number {
  let at = cursor;
  for (const anchor of hunk.anchors) {
    const wanted = latin(anchor);
    while (at < bare.length && bare[at]?.trim() !== wanted) at++;
    at++;
  }
  return at;
}

/** Lines to be added, with none around them to find the place by. */
function insertionPlace({ bare, hunk, cursor, drift }: Search, where: string): number {
  const end = bare.at(-1) === '' ? bare.length - 1 : bare.length;
  if (hunk.atEnd || (bare.length === 1 && bare[0] === '')) return end;
  if (hunk.anchors.length > 0) {
    const place = afterAnchors(bare, hunk, cursor);
    if (place <= end) return place;
    throw patchProblem(`${where}: the line after "@@" is not in the file.`);
  }
  const named = hunk.line === undefined ? -1 : hunk.line - 1 + drift;
  if (named >= cursor && named <= end) return named;
  throw patchProblem(`${where} only adds lines. Give the lines around them as context.`);
}

/** The lines of a hunk that are not of that kind, one character a byte. */
function bytesOf(hunk: Hunk, without: '+' | '-'): string[] {
  return hunk.lines.filter(({ op }) => op !== without).map(({ text }) => latin(text));
}

function latin(text: string): string {
  return Buffer.from(text).toString('latin1');
}
