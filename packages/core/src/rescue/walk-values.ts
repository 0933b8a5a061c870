import { isJsonObject, type JsonValue } from '../json.ts';
import { acceptCandidates, skipLeftovers } from './accept-candidates.ts';
import { answerIn } from './answer-in.ts';
import { isNameChar, isSpace, lineStart, skipSpace } from './chars.ts';
import { markerOf } from './markers.ts';
import { lexBracket, type Tag } from './tag.ts';
import { strippedHeader } from './walk-harmony.ts';
import { walkPythonList } from './walk-python.ts';
import { walkMarker } from './walk-tags.ts';
import { endThoughtsBefore } from './walk-thoughts.ts';
import type { Walker } from './walker.ts';

/** A `{` or a list at `at`: arguments, calls, or plain data. Where the walk goes on. */
export function walkValue(walker: Walker, at: number): number {
  const { scan } = walker;
  walker.settle(at);
  walker.zone?.takeText(at);
  const named = walker.zone === undefined ? nameBefore(walker, at) : undefined;
  const value = scan.value(at);
  const alone = named?.said !== true || endsLine(scan.text, scan.parser.pos);
  if (
    walker.zone === undefined &&
    named !== undefined &&
    alone &&
    fitsTool(walker, named.name, value)
  ) {
    const zone = walker.enter({
      start: named.start,
      opener: '',
      strong: false,
      form: named.format === 'json' ? 'json' : 'label',
      format: named.format,
      textFrom: at,
    });
    zone.setName(named.name);
    if (named.thought !== undefined) {
      scan.turnIntoReasoning(0);
      scan.reasoning.push(named.thought);
      scan.remove(0, named.start, 'reasoning');
    }
  }
  return walker.zone === undefined ? walkBare(walker, at, value) : walkInZone(walker, at, value);
}

function walkInZone(walker: Walker, at: number, value: JsonValue | undefined): number {
  const { scan, zone } = walker;
  const { parser, text } = scan;
  if (zone === undefined) return at + 1;
  const { broken, cut } = parser;
  if (broken && !zone.strong && !zone.hasName) {
    zone.textFrom = at + 1;
    return at + 1;
  }
  const answer = zone.hasName ? undefined : answerIn(value, scan.index);
  if (answer !== undefined) {
    scan.answers.push({ at, text: answer });
    zone.outcomes++;
    zone.end = parser.pos;
    zone.textFrom = parser.pos;
    return parser.pos;
  }
  const { pos } = parser;
  zone.takeValue(value, at);
  const end = broken || cut !== 'no' ? pos : skipLeftovers(text, pos);
  zone.end = end;
  zone.textFrom = end;
  // A name before the value was the whole zone: it is over.
  if (zone.opener === '' && zone.form !== 'token') {
    zone.flush('next');
    walker.leave();
  }
  return Math.max(end, at + 1);
}

function walkBare(walker: Walker, at: number, value: JsonValue | undefined): number {
  const { scan } = walker;
  const { parser, text, found, partial } = scan;
  const { broken, cut, pos } = parser;
  const answer = broken ? undefined : answerIn(value, scan.index);
  if (answer !== undefined) {
    scan.answers.push({ at, text: answer });
    scan.remove(at, pos, 'call');
    return pos;
  }
  const before = found.length;
  const rejected = scan.rejected.length;
  if (parser.placeholder) {
    const count = acceptCandidates(scan, value, {
      start: at,
      form: 'json',
      format: 'json',
      strong: false,
    });
    const dropped = scan.found.splice(before);
    for (const { call } of dropped) scan.reject(call.name, 'placeholder argument');
    return count > 0 || !broken ? pos : at + 1;
  }
  acceptCandidates(scan, value, { start: at, form: 'json', format: 'json', strong: false });
  if (scan.found.length > before || scan.partial !== partial) {
    const end = cut === 'no' ? skipLeftovers(text, pos) : pos;
    const announced = text.charAt(at) === '[' && text.endsWith('functools', at);
    scan.remove(announced ? at - 9 : at, end, 'call');
    return end;
  }
  if (scan.rejected.length > rejected && cut === 'no') return pos;
  const complete = !broken && cut === 'no';
  return complete || !scan.mayGoBack ? Math.max(pos, at + 1) : at + 1;
}

/** After a bare name, an object is its arguments only if it looks like them. */
function fitsTool(walker: Walker, name: string, value: JsonValue | undefined): boolean {
  const { parser, index } = walker.scan;
  if (!isJsonObject(value) || parser.broken) return false;
  const tool = index.resolve(name)?.tool;
  if (tool === undefined) return true;
  return tool.properties.length === 0 || Object.keys(value).every((key) => tool.has(key));
}

interface NamedValue {
  readonly name: string;
  readonly start: number;
  readonly format: string;
  /** In a sentence: a call only if the sentence ends with the value. */
  readonly said?: true;
  /** Reasoning that stood before, in formats that lost their tokens. */
  readonly thought?: string;
}

/** A tool's name directly before a value: on its own line, in brackets, or as a recipient. */
function nameBefore(walker: Walker, at: number): NamedValue | undefined {
  const { scan } = walker;
  const { text, index, fence } = scan;
  let end = at;
  if (
    fence !== undefined &&
    text.slice(fence.bodyStart, at).trim() === '' &&
    at - fence.bodyStart < 50
  ) {
    end = fence.start;
  }
  const window = text.slice(Math.max(0, end - 160), end);
  if (window.includes('to=')) {
    const header = strippedHeader(window, text.startsWith('analysis'));
    if (header !== undefined && index.resolve(header.name) !== undefined) {
      const start = end - header.length;
      const thought = text.startsWith('analysis') ? text.slice(8, start).trim() : undefined;
      return { name: header.name, start, format: 'harmony', ...(thought ? { thought } : {}) };
    }
  }
  const announced = announcedName(window);
  if (announced !== undefined && index.exact(announced) !== undefined) {
    return { name: announced, start: at, format: 'json', said: true };
  }
  let to = end;
  while (to > 0 && end - to < 40 && isSpace(text.charCodeAt(to - 1))) to--;
  if (text.charAt(to - 1) === ':') to--;
  const bracketed = text.charAt(to - 1) === ']';
  if (bracketed) to--;
  let from = to;
  while (from > 0 && to - from < 200 && isNameChar(text.charCodeAt(from - 1))) from--;
  if (from === to) return undefined;
  let name = text.slice(from, to);
  if (name.startsWith('call:')) name = name.slice(5);
  const resolved = index.resolve(name);
  if (resolved === undefined || resolved.repair !== undefined) return undefined;
  const first = bracketed ? from - 1 : from;
  if (bracketed && text.charAt(first) !== '[') return undefined;
  const line = lineStart(text, first, 20);
  if (line === undefined) return undefined;
  const lead = text.slice(line, first).trim();
  if (lead !== '' && lead !== '>>>' && lead !== '**' && lead !== '#') return undefined;
  const start = lead === '' || lead === '>>>' ? line : first;
  return { name, start, format: bracketed ? 'lmstudio' : 'json' };
}

const announcement =
  /(?:^|\n|[.!] )(?:(?:i'm |i am |now )?(?:calling|invoking|using)|(?:i'll|i will|let me) (?:call|invoke|use)) (?:the )?(?:tool |function )?[`"]?([\w.-]+)[`"]? with(?: the)?(?: arguments| parameters| args| input)?:? ?\n?$/i;

/** `Calling f with {…}`: said rather than written. */
function announcedName(before: string): string | undefined {
  return /with[ a-z]{0,14}:? ?\n?$/i.test(before.slice(-24))
    ? announcement.exec(before)?.[1]
    : undefined;
}

/** Nothing behind `at` on its line but, perhaps, a full stop. */
function endsLine(text: string, at: number): boolean {
  return /^[ \t`]{0,9}[.:]?[ \t`]{0,9}(?:\n|$)/.test(text.slice(at, at + 24));
}

/** A `[` at `at`: a marker in brackets, a list of calls, or plain text. */
export function walkBracket(walker: Walker, at: number): number {
  const { scan } = walker;
  const { text } = scan;
  const tag = lexBracket(text, at);
  if (tag !== undefined) {
    const end = walkBracketMarker(walker, tag);
    if (end !== undefined) return end;
  }
  const next = skipSpace(text, at + 1);
  const code = text.charCodeAt(next);
  if (code === 123) return walkValue(walker, at);
  return walkPythonList(walker, at) ?? at + 1;
}

function walkBracketMarker(walker: Walker, tag: Tag): number | undefined {
  const { scan, zone } = walker;
  const { start, end, name } = tag;
  switch (name) {
    case 'BEGIN FINAL RESPONSE':
      return endThoughtsBefore(walker, start, end);
    case 'END FINAL RESPONSE':
      scan.remove(start, end, 'marker');
      return end;
    case 'CALL_ID':
      if (zone === undefined) return undefined;
      zone.takeText(start);
      zone.expectsId = true;
      zone.textFrom = end;
      return end;
    case 'ARGS':
      return walkArgs(walker, tag);
    default: {
      const marker = markerOf(tag);
      return marker === undefined ? undefined : walkMarker(walker, tag, marker);
    }
  }
}

/** `name[ARGS]{…}`: without its leading token, the name is the word before. */
function walkArgs(walker: Walker, { start, end }: Tag): number {
  const { scan } = walker;
  walker.settle(start);
  let { zone } = walker;
  if (zone === undefined) {
    let from = start;
    while (from > 0 && start - from < 200 && isNameChar(scan.text.charCodeAt(from - 1))) from--;
    const written = scan.text.slice(from, start);
    const name = longestName(written, (candidate) => scan.index.resolve(candidate) !== undefined);
    if (name === '') {
      scan.remove(start, end, 'marker');
      return end;
    }
    zone = walker.enter({
      // A word that is no tool may have been the end of a sentence: it stays.
      start: scan.index.resolve(name) === undefined ? start : start - name.length,
      opener: '',
      strong: true,
      form: 'token',
      format: 'mistral',
      textFrom: end,
    });
    zone.setName(name);
  } else zone.takeText(start);
  zone.textFrom = end;
  zone.end = end;
  return end;
}

/** `Checking.get_forecast`: the longest tail behind a dot that names a tool, else all of it. */
function longestName(written: string, isTool: (name: string) => boolean): string {
  if (isTool(written)) return written;
  for (let dot = written.indexOf('.'); dot !== -1; dot = written.indexOf('.', dot + 1)) {
    const tail = written.slice(dot + 1);
    if (isTool(tail)) return tail;
  }
  return written;
}
