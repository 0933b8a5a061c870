import { ForgeError } from '@forge/core';
import { QuotingError } from '../inside/quoting-error.ts';
import { type Nearest, nearestLines } from './nearest-lines.ts';

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

/**
 * Makes edits one after the other, each exactly as it says, and gives the new bytes. Works on bytes:
 * what is not touched stays as it was, valid UTF-8 or not. Where the file ends its lines with CRLF
 * and the edit does not, the edit is read with CRLF. Throws what a model has to know if one misses.
 */
export function applyEdits(path: string, content: Buffer, edits: readonly Edit[]): Buffer {
  let bytes = content;
  for (const [index, edit] of edits.entries()) {
    const which = edits.length > 1 ? `edits[${index}]: ` : '';
    const rest = edits.length > 1 ? 'None of the edits was made.' : '';
    bytes = applyEdit(bytes, edit, (problem, near) => {
      const words = `${which}${problem(JSON.stringify(path))}`;
      if (near === undefined) return new ForgeError('tool_failed', `${words} ${rest}`.trimEnd());
      const { why, quote, advice = '' } = near;
      const said = `${words} ${why}`;
      return new QuotingError('tool_failed', {
        said,
        quote,
        advice: `${advice} ${rest}`.trim(),
        exact: true,
      });
    });
  }
  return bytes;
}

type Problem = (problem: (path: string) => string, near?: Nearest) => ForgeError;

function applyEdit(bytes: Buffer, edit: Edit, problem: Problem): Buffer {
  const { old_text, new_text, replace_all = false } = edit;
  if (old_text === new_text) throw problem(() => 'old_text and new_text are the same.');
  const found = find(bytes, edit);
  if (found === undefined) {
    const near = nearestLines(bytes, old_text);
    throw problem((path) => `old_text was not found in ${path}.`, near);
  }
  const { places, needle, replacement } = found;
  if (places.length > 1 && !replace_all) {
    throw problem(
      (path) =>
        `old_text is in ${path} ${places.length === mostPlaces ? 'at least ' : ''}${places.length} times, at lines ${lineList(bytes, places)}. Add lines around it until it is unique, or set replace_all to change them all.`,
    );
  }
  const pieces: Buffer[] = [];
  let at = 0;
  for (const place of replace_all ? occurrences(bytes, needle) : places.slice(0, 1)) {
    pieces.push(bytes.subarray(at, place), replacement);
    at = place + needle.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

interface Found {
  /** The first few. */
  readonly places: readonly number[];
  readonly needle: Buffer;
  readonly replacement: Buffer;
}

const mostPlaces = 100;

function find(bytes: Buffer, { old_text, new_text }: Edit): Found | undefined {
  const exact = placesOf(bytes, Buffer.from(old_text), Buffer.from(new_text));
  if (exact !== undefined || /\r\n/.test(old_text) || !old_text.includes('\n')) return exact;
  return placesOf(bytes, Buffer.from(withCrlf(old_text)), Buffer.from(withCrlf(new_text)));
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function placesOf(bytes: Buffer, needle: Buffer, replacement: Buffer): Found | undefined {
  const places: number[] = [];
  for (const place of occurrences(bytes, needle)) {
    places.push(place);
    if (places.length === mostPlaces) break;
  }
  return places.length === 0 ? undefined : { places, needle, replacement };
}

function* occurrences(bytes: Buffer, needle: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
    yield at;
  }
}

/** The line numbers of the first places. */
function lineList(bytes: Buffer, places: readonly number[]): string {
  const shown = places.slice(0, 10);
  const lines: number[] = [];
  let line = 1;
  let at = 0;
  for (const place of shown) {
    for (let next = bytes.indexOf(10, at); next !== -1 && next < place; ) {
      line++;
      at = next + 1;
      next = bytes.indexOf(10, at);
    }
    lines.push(line);
  }
  return lines.join(', ') + (places.length > shown.length ? ' and more' : '');
}
