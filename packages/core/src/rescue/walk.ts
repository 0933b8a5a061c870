import { skipSpace } from './chars.ts';
import { Intervals } from './intervals.ts';
import { startsMarker } from './markers.ts';
import { type Fence, Scan } from './scan.ts';
import type { ToolIndex } from './tool-index.ts';
import { strippedAnswer } from './walk-harmony.ts';
import { walkColon } from './walk-labels.ts';
import { walkCode, walkParen } from './walk-python.ts';
import { walkAngle } from './walk-tags.ts';
import { endThoughtsBefore, takeThought } from './walk-thoughts.ts';
import { walkBracket, walkValue } from './walk-values.ts';
import { Walker } from './walker.ts';

/** Characters that may begin something other than plain text. */
const triggers = new Uint8Array(128);
for (const character of '<{[`(:>') triggers[character.charCodeAt(0)] = 1;

/** One walk over the text, from marker character to marker character. */
export function walk(text: string, index: ToolIndex): Scan {
  const scan = new Scan(text, index);
  const walker = new Walker(scan);
  let pos = strippedAnswer(walker);
  while (pos < text.length && !scan.exhausted) {
    const at = nextTrigger(text, pos);
    scan.visits += at - pos + 1;
    if (at === text.length) break;
    pos = Math.max(at + 1, step(walker, at));
  }
  finish(walker);
  return scan;
}

function nextTrigger(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128 ? triggers[code] === 1 : code === 0xff5b || code === 0x273f || code === 0x25c1) {
      break;
    }
  }
  return i;
}

function step(walker: Walker, at: number): number {
  const { text } = walker.scan;
  switch (text.charCodeAt(at)) {
    case 60: // <
      return walkAngle(walker, at);
    case 123: // {
    case 0xff5b: // ｛
      return walkValue(walker, at);
    case 91: // [
      return walkBracket(walker, at);
    case 96: // `
      return walkBacktick(walker, at);
    case 40: // (
      return walkParen(walker, at);
    case 58: // :
      return walkColon(walker, at);
    case 62: // >
      return walkArrows(walker, at);
    case 0x273f: // ✿
      return walkFlower(walker, at);
    case 0x25c1: // ◁
      return walkTriangle(walker, at);
    default:
      return at + 1;
  }
}

const codeLanguages = new Set(['tool_code', 'python', 'py']);

function walkBacktick(walker: Walker, at: number): number {
  const { scan, zone } = walker;
  const { text } = scan;
  if (!text.startsWith('```', at)) return walkInlineCode(walker, at);
  let langEnd = at + 3;
  while (langEnd - at < 24 && /[\w+-]/.test(text.charAt(langEnd))) langEnd++;
  walker.settle(at);
  if (walker.zone !== undefined && zone !== undefined) {
    zone.takeText(at);
    zone.textFrom = langEnd;
    if (zone.pending || zone.outcomes > 0) zone.end = langEnd;
    return langEnd;
  }
  if (scan.fence !== undefined) {
    scan.fence.bodyEnd = at;
    scan.fence.end = at + 3;
    scan.fence = undefined;
    return at + 3;
  }
  const fence: Fence = { start: at, bodyStart: langEnd, bodyEnd: text.length, end: text.length };
  scan.fence = fence;
  scan.fences.push(fence);
  const language = text.slice(at + 3, langEnd).toLowerCase();
  if (!codeLanguages.has(language)) return langEnd;
  const name = lineBefore(text, at);
  const above = name !== '' && scan.index.exact(name) !== undefined ? name : undefined;
  const start = above === undefined ? langEnd : text.lastIndexOf(above, at);
  const end = walkCode(walker, {
    start: langEnd,
    from: langEnd,
    format: 'pythonic',
    form: 'python',
    name: above,
  });
  if (end !== undefined && above !== undefined) scan.remove(start, at, 'call');
  return end ?? langEnd;
}

/** The line above a fence, without the fence's own indentation. */
function lineBefore(text: string, at: number): string {
  const lines = text
    .slice(Math.max(0, at - 200), at)
    .trimEnd()
    .split('\n');
  return lines.at(-1)?.trim() ?? '';
}

/** `code` in a sentence is quoted, not called, unless it is all there is. */
function walkInlineCode(walker: Walker, at: number): number {
  const { scan } = walker;
  const { text } = scan;
  const limit = Math.min(text.length, at + 400);
  for (let i = at + 1; i < limit; i++) {
    const character = text.charAt(i);
    if (character === '\n') break;
    if (character !== '`') continue;
    if (at === scan.inkStart && skipSpace(text, i + 1) >= text.length) {
      scan.remove(at, at + 1, 'marker');
      scan.remove(i, i + 1, 'marker');
      return at + 1;
    }
    return walker.zone === undefined ? i + 1 : at + 1;
  }
  return at + 1;
}

/** `>>>name` of Functionary 3.2: the recipient of what follows; `all` is the user. */
function walkArrows(walker: Walker, at: number): number {
  const { scan } = walker;
  const { text } = scan;
  const lineStarts = at === 0 || text.charAt(at - 1) === '\n' || scan.hasCall;
  if (!lineStarts || !text.startsWith('>>>', at)) return at + 1;
  const end = text.indexOf('\n', at);
  if (end === -1 || end - at > 200) return at + 3;
  const name = text.slice(at + 3, end).trim();
  if (name === 'all') {
    scan.remove(at, end, 'marker');
    return end;
  }
  if (scan.index.resolve(name) === undefined) return at + 3;
  walker.close(at, at);
  const zone = walker.enter({
    start: at,
    opener: '>>>',
    strong: true,
    form: 'token',
    format: 'functionary',
    textFrom: end,
  });
  zone.setName(name);
  return end;
}

/** Qwen-Agent's `✿FUNCTION✿: name`, `✿ARGS✿: {…}`, `✿RESULT✿: …`. */
function walkFlower(walker: Walker, at: number): number {
  const { scan } = walker;
  const { text } = scan;
  const close = text.slice(at + 1, at + 12).indexOf('✿');
  if (close === -1) return at + 1;
  const word = text.slice(at + 1, at + 1 + close);
  let end = at + close + 2;
  if (text.charAt(end) === ':') end++;
  switch (word) {
    case 'FUNCTION': {
      walker.close(at, at);
      walker.enter({
        start: at,
        opener: '✿',
        strong: true,
        form: 'token',
        format: 'qwen-agent',
        textFrom: end,
      });
      return end;
    }
    case 'ARGS':
      walker.zone?.takeText(at);
      if (walker.zone !== undefined) walker.zone.textFrom = end;
      return end;
    case 'RESULT':
    case 'RETURN':
      walker.close(at, at);
      scan.remove(at, end, 'marker');
      if (word === 'RESULT' && scan.hasCall) scan.invented = true;
      return end;
    default:
      return at + 1;
  }
}

function walkTriangle(walker: Walker, at: number): number {
  const { text } = walker.scan;
  if (text.startsWith('◁think▷', at)) return takeThought(walker, { start: at, from: at + 7 });
  if (text.startsWith('◁/think▷', at)) return endThoughtsBefore(walker, at, at + 8);
  return at + 1;
}

function finish(walker: Walker): void {
  const { scan } = walker;
  const { text } = scan;
  const cut = cutMarker(text);
  if (cut !== undefined) {
    scan.truncated = true;
    scan.remove(cut, text.length, 'marker');
  }
  const { zone } = walker;
  if (zone !== undefined) {
    const nothing = !zone.pending && zone.outcomes === 0;
    zone.takeText(cut ?? text.length);
    if (zone.strong && zone.hasName && zone.hasWords) zone.end = cut ?? text.length;
    const plain = zone.form === 'label' && !zone.hasArguments;
    if (plain && zone.resolved?.tool.required.length === 0) zone.flush('next');
    else zone.flush('end');
    if (nothing && zone.strong && scan.found.length === 0) scan.truncated = true;
    walker.leave();
  }
  walker.endThought(text.length);
  const followed = walker.answered || walker.acted || scan.partial !== undefined;
  if (scan.found.length === 0 && !followed) return;
  const calls = new Intervals(scan.removals.filter(({ kind }) => kind === 'call'));
  for (const { start, from, end = text.length } of walker.thoughts) {
    const to = Math.min(end, calls.nextStart(from) ?? end);
    const thought = text.slice(from, to).trim();
    if (thought !== '') scan.reasoning.push(thought);
    scan.remove(start, to, 'reasoning');
  }
}

/** Where a marker starts that the text ends in the middle of. */
function cutMarker(text: string): number | undefined {
  const from = Math.max(0, text.length - 40);
  for (let i = text.length - 1; i >= from; i--) {
    const character = text.charAt(i);
    if (character === '>' || character === ']' || character === '\n') return undefined;
    if (character === '<')
      return text.length - i > 2 && startsMarker(text.slice(i + 1)) ? i : undefined;
    if (character === '[')
      return /^\[\/?(?:TOOL_|END_TO|THINK|ARGS|CALL_)/.test(text.slice(i)) ? i : undefined;
  }
  return undefined;
}
