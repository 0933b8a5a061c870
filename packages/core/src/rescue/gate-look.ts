import { isNameChar, isWord, skipSpace } from './chars.ts';
import { leadsLine } from './labels.ts';
import { hold, type Look, type LookContext, lookLiteral, plain, startsTool, wait } from './look.ts';
import { lookAngle } from './look-tags.ts';
import { lookWord } from './look-words.ts';
import { markerOf } from './markers.ts';
import { lexBracket } from './tag.ts';

/** Whether something other than plain text may begin at `at`, whose character is `code`. */
export function maySplit(text: string, at: number, code: number): boolean {
  if (code < 128) {
    if (code === 60 || code === 123 || code === 91 || code === 96 || code === 93) return true;
    if (code === 42 || code === 35) return leadsLine(text, at);
    if (code === 62 || code === 38) return startsLine(text, at);
    return isWord(code) && (at === 0 || !isWord(text.charCodeAt(at - 1)));
  }
  if (code === 0xff5b || code === 0x273f || code === 0x25c1) return true;
  return isWord(code) && (at === 0 || !isWord(text.charCodeAt(at - 1)));
}

export function look(text: string, at: number, context: LookContext): Look {
  const code = text.charCodeAt(at);
  switch (code) {
    case 60: // <
      return lookAngle(text, at, context);
    case 123: // {
    case 0xff5b: // ｛
      return lookBrace(text, at);
    case 91: // [
      return lookBracket(text, at, context);
    case 93: // ]
      return lookNoise(text, at);
    case 96: // `
      return lookBacktick(text, at, context);
    case 62: // >
      return lookArrows(text, at, context);
    case 38: // &
      return at === context.inkStart ? lookLiteral(text, at, '&lt;', hold) : plain(at + 1);
    case 0x273f: // ✿
      return lookFlower(text, at);
    case 0x25c1: // ◁
      return lookTriangle(text, at);
    default:
      return lookWord(text, at, context);
  }
}

function startsLine(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === 10;
}

const MINIMAX = ']<]minimax[>[';

function lookNoise(text: string, at: number): Look {
  return lookLiteral(text, at, MINIMAX, { kind: 'drop', end: at + MINIMAX.length });
}

function lookTriangle(text: string, at: number): Look {
  const closed = lookLiteral(text, at, '◁/think▷', { kind: 'drop', end: at + 8 });
  return closed.kind === 'plain'
    ? lookLiteral(text, at, '◁think▷', { kind: 'thought', end: at + 7 })
    : closed;
}

function lookFlower(text: string, at: number): Look {
  for (const word of ['✿FUNCTION✿', '✿ARGS✿', '✿RESULT✿', '✿RETURN✿']) {
    const found = lookLiteral(text, at, word, hold);
    if (found.kind !== 'plain') return found;
  }
  return plain(at + 1);
}

function lookArrows(text: string, at: number, { index }: LookContext): Look {
  const arrows = lookLiteral(text, at, '>>>', hold);
  if (arrows.kind !== 'hold') return arrows;
  const line = text.indexOf('\n', at);
  if (line === -1) return text.length - at > 200 ? plain(at + 3) : wait;
  const name = text.slice(at + 3, line).trim();
  if (name === 'all') return { kind: 'drop', end: line };
  return index.resolve(name) === undefined ? plain(at + 3) : hold;
}

/** An object has a key first; code in braces does not. */
function lookBrace(text: string, at: number): Look {
  const next = skipSpace(text, at + 1);
  if (next >= text.length) return wait;
  const code = text.charCodeAt(next);
  if (code === 38) return hold;
  const found: Look = { kind: 'brackets', from: at };
  if (!isWord(code)) return '"\'`}“”‘＂,./#<\\'.includes(text.charAt(next)) ? found : plain(at + 1);
  let i = next;
  while (i < text.length && isNameChar(text.charCodeAt(i)) && text.charAt(i) !== ':') i++;
  const after = skipSpace(text, i);
  if (after >= text.length) return after - next > 200 ? plain(at + 1) : wait;
  return ':=：'.includes(text.charAt(after)) ? found : plain(at + 1);
}

const bracketMarks = [
  '[TOOL_CALLS]',
  '[TOOL_CALL]',
  '[TOOL_REQUEST]',
  '[ARGS]',
  '[CALL_ID]',
  '[TOOL_RESULT',
  '[FUNCTION_CALL',
  '[/TOOL_',
  '[END_TOOL_',
];

function lookBracket(text: string, at: number, { index, inkStart }: LookContext): Look {
  const head = text.slice(at, at + 24);
  for (const mark of bracketMarks) {
    if (head.startsWith(mark)) return hold;
    if (mark.startsWith(head)) return wait;
  }
  for (const mark of ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]', '[/THINK]']) {
    const found = lookLiteral(text, at, mark, { kind: 'drop', end: at + mark.length });
    if (found.kind !== 'plain') return found;
  }
  const think = lookLiteral(text, at, '[THINK]', { kind: 'thought', end: at + 7 });
  if (think.kind !== 'plain') return think;
  const tag = lexBracket(text, at);
  if (tag !== undefined && markerOf(tag) !== undefined) return hold;
  const next = skipSpace(text, at + 1);
  if (next >= text.length) return wait;
  if (text.charCodeAt(next) === 123) return { kind: 'brackets', from: at };
  let i = next;
  while (i < text.length && isNameChar(text.charCodeAt(i))) i++;
  const name = text.slice(next, i);
  if (i >= text.length) {
    const alone = at === inkStart && name.length < 60;
    return startsTool(index, name) || alone ? wait : plain(at + 1);
  }
  if (name === '') return plain(at + 1);
  const after = text.charCodeAt(skipSpace(text, i));
  if (after === 40) return { kind: 'brackets', from: at };
  // `[name]` on a line of its own, and its arguments behind it.
  if (after === 93 && index.exact(name) !== undefined) return hold;
  return plain(at + 1);
}

function lookBacktick(text: string, at: number, context: LookContext): Look {
  const { inkStart, inFence, index } = context;
  if (!text.startsWith('```', at)) {
    if ('```'.startsWith(text.slice(at, at + 3))) return wait;
    return lookInlineCode(text, at, inkStart);
  }
  if (inFence) return plain(at + 3);
  let i = at + 3;
  while (i < text.length && i - at < 24 && /[\w+-]/.test(text.charAt(i))) i++;
  const language = text.slice(at + 3, i).toLowerCase();
  let body = skipSpace(text, i);
  const python = language === 'python' || language === 'py' || language === 'tool_code';
  while (python && text.charAt(body) === '#') {
    const line = text.indexOf('\n', body);
    if (line === -1) return wait;
    body = skipSpace(text, line);
  }
  if (body >= text.length) return wait;
  if ('{[<｛✿◁'.includes(text.charAt(body))) return { kind: 'fence', from: at };
  for (const header of ['>>>', 'to=']) {
    const found = lookLiteral(text, body, header, { kind: 'fence', from: at });
    if (found.kind !== 'plain') return found;
  }
  const line = text.indexOf('\n', body);
  if (line === -1) return text.length - body > 400 ? plain(at + 3) : wait;
  const words = text.slice(body, line).split(/[^\w.-]+/, 8);
  const calls = words.some(
    (word) => word === 'print' || word === 'tool_call' || index.resolve(word),
  );
  return calls ? { kind: 'fence', from: at } : plain(i);
}

/** Code in a sentence is plain, unless it turns out to be the whole reply. */
function lookInlineCode(text: string, at: number, inkStart: number): Look {
  const limit = Math.min(text.length, at + 400);
  for (let i = at + 1; i < limit; i++) {
    const character = text.charAt(i);
    if (character === '\n') return plain(at + 1);
    if (character !== '`') continue;
    if (at === inkStart && skipSpace(text, i + 1) >= text.length) return wait;
    return plain(i + 1);
  }
  return text.length - at >= 400 ? plain(at + 1) : wait;
}
