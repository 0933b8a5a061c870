import { isNameChar, isSpace, isWord, lineStart, skipSpace } from './chars.ts';
import { labelAt, startsLabel } from './labels.ts';
import { hold, type Look, type LookContext, lookLiteral, plain, startsTool, wait } from './look.ts';
import type { ToolIndex } from './tool-index.ts';

const starters = ['analysis', 'commentary', 'assistantcommentary', 'assistantanalysis'];

/** A word: a tool's name, the label of a line, or the start of a stripped header. */
export function lookWord(text: string, at: number, context: LookContext): Look {
  const { index, inkStart } = context;
  if (at === inkStart) {
    for (const word of starters) {
      if (text.startsWith(word, at)) {
        const next = text.charCodeAt(at + word.length);
        if (Number.isNaN(next)) return wait;
        if (!isSpace(next) || word !== 'analysis') return hold;
      } else if (word.startsWith(text.slice(at))) return wait;
    }
  }
  const line = lineStart(text, at, 120);
  if (line !== undefined && isLead(text.slice(line, at))) {
    const label = lookLabel(text, line, context);
    if (label !== undefined) return label;
  }
  for (const header of ['to=', 'commentary to=', 'assistantcommentary to=']) {
    const recipient = lookLiteral(text, at, header, hold);
    if (recipient.kind !== 'plain') return recipient;
  }
  if (text.startsWith('functools', at)) return lookLiteral(text, at, 'functools[', hold);
  if (text.length - at < 10 && 'functools['.startsWith(text.slice(at))) return wait;
  const leads = line !== undefined && isLead(text.slice(line, at));
  const statement = leads ? lookStatement(text, at, index) : undefined;
  return statement ?? lookTool(text, at, index, leads);
}

/** `x = f(…)`, `print(f(…))`, `await f(…)`: a call that does not start with its tool. */
function lookStatement(text: string, at: number, index: ToolIndex): Look | undefined {
  let pos = at;
  for (let steps = 0; steps < 4; steps++) {
    const start = pos;
    while (pos < text.length && isWord(text.charCodeAt(pos))) pos++;
    const word = text.slice(start, pos);
    let next = pos;
    while (text.charCodeAt(next) === 32 || text.charCodeAt(next) === 9) next++;
    if (next >= text.length) return next - start < 60 ? wait : undefined;
    const character = text.charAt(next);
    const leads =
      (character === '=' && text.charAt(next + 1) !== '=') ||
      (character === '(' && word === 'print') ||
      word === 'await' ||
      word === 'return';
    if (!leads) {
      if (steps === 0) return undefined;
      const found = lookTool(text, start, index, true);
      return found.kind === 'plain' ? undefined : found.kind === 'wait' ? wait : hold;
    }
    pos = skipSpace(text, character === '=' || character === '(' ? next + 1 : next);
    if (pos >= text.length) return wait;
  }
  return undefined;
}

/** Before a statement or a label: indentation, a bullet, an assignment, a call of print. */
function isLead(before: string): boolean {
  return /^[\s>*#\d.-]*(?:\w+\s*=\s*|await\s+|return\s+|print\()*$/.test(before);
}

function lookLabel(text: string, line: number, { index, inFence }: LookContext): Look | undefined {
  const window = text.slice(line, line + 28);
  const colon = window.search(/[:\n]/);
  if (colon === -1) return window.length < 28 && startsLabel(window) ? wait : undefined;
  if (window.charAt(colon) === '\n') return undefined;
  const label = labelAt(text, line + colon);
  if (label === undefined) return undefined;
  if (label.sure) {
    return inFence && label.kind !== 'tool' && label.kind !== 'arguments' ? undefined : hold;
  }
  const next = skipSpace(text, label.end);
  if (next >= text.length) return wait;
  if ('{[<`✿'.includes(text.charAt(next))) return label.kind === 'tool' ? hold : undefined;
  let end = next;
  while (end < text.length && isNameChar(text.charCodeAt(end))) end++;
  const word = text.slice(next, end);
  if (end >= text.length) return startsTool(index, word) ? wait : undefined;
  return index.resolve(word) === undefined ? undefined : hold;
}

/** A tool's name: what follows tells whether it is called or only mentioned. */
function lookTool(text: string, at: number, index: ToolIndex, leads: boolean): Look {
  let end = at;
  while (end < text.length && isNameChar(text.charCodeAt(end))) end++;
  const word = text.slice(at, end);
  if (end >= text.length) return startsTool(index, word) ? wait : plain(at + 1);
  let name = end;
  while (name > at && index.resolve(text.slice(at, name)) === undefined) {
    name--;
    while (name > at && isWord(text.charCodeAt(name - 1)) && isWord(text.charCodeAt(name))) name--;
  }
  if (name === at) return plain(at + 1);
  const next = skipSpace(text, end);
  if (next >= text.length) return text.length - end > 100 ? plain(end) : wait;
  const character = text.charAt(next);
  if (character === '[') return lookArgs(text, next, end);
  if (character === '<') {
    return next + 1 >= text.length ? wait : text.charAt(next + 1) === '|' ? hold : plain(end);
  }
  if (character === '(') return leads ? { kind: 'brackets', from: next } : plain(end);
  if (character === '{' || character === ':') return leads ? hold : plain(end);
  if (character === '`') return leads ? hold : plain(end);
  return plain(end);
}

function lookArgs(text: string, at: number, end: number): Look {
  for (const mark of ['[ARGS]', '[CALL_ID]', '[TOOL_CALLS]']) {
    const found = lookLiteral(text, at, mark, hold);
    if (found.kind !== 'plain') return found;
  }
  return plain(end);
}
