import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { isNameChar, isSpace, isWord } from './chars.ts';
import { type Cut, put, type ValueParser } from './value-parser.ts';

/** One call as it was written. Arguments are literals; nothing was evaluated. */
export interface PythonCall {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly named: { readonly [key: string]: JsonValue };
  readonly positional: readonly JsonValue[];
  readonly cut: Cut;
  /** Why it cannot be used: a name or expression among the arguments, a `...`, or bad syntax. */
  readonly problem?: 'expression' | 'placeholder' | 'syntax';
  /** Parameters whose value was an unquoted word (`''` for a positional one). */
  readonly barewords: readonly string[];
  readonly repairs: readonly string[];
}

export interface PythonCalls {
  readonly calls: readonly PythonCall[];
  readonly end: number;
  /** Statements other than calls and the printing of a result: this is a program. */
  readonly program: boolean;
  readonly cut: boolean;
  /** How far the text was looked at. */
  readonly reach: number;
}

/**
 * Reads calls from `at`: statements on lines, or with `list` the items of `[f(), g()]`. `x = f()`,
 * `print(f())` and `await f()` are read as `f()`. Only functions that `wanted` accepts are read.
 * With `block` every statement up to the end of the block is looked at; otherwise reading stops
 * behind the last call.
 */
export function readPythonCalls(
  parser: ValueParser,
  at: number,
  { list, block, wanted }: { list: boolean; block: boolean; wanted: (name: string) => boolean },
): PythonCalls {
  const { text } = parser;
  const calls: PythonCall[] = [];
  let program = false;
  let cut = false;
  let end = at;
  let pos = at;
  for (;;) {
    pos = skipBetween(parser, pos);
    if (pos >= text.length) {
      cut = list;
      break;
    }
    if (list && text.charCodeAt(pos) === 93) {
      end = pos + 1;
      break;
    }
    if (text.startsWith('```', pos) || text.charCodeAt(pos) === 60) break;
    const statement = readHead(text, pos);
    if (statement === undefined || !wanted(statement.name)) {
      if (!block) break;
      if (statement?.harmless !== true) program = true;
      pos = skipLine(text, pos);
      end = pos;
      continue;
    }
    const call = readCall(parser, statement);
    calls.push(call);
    end = call.end;
    if (call.cut !== 'no') {
      cut = true;
      break;
    }
    if (call.problem !== undefined) {
      end = skipLine(text, call.end);
      if (!block) break;
    }
    for (let closers = statement.wrapped; closers > 0; closers--) {
      const next = skipBetween(parser, end);
      if (text.charCodeAt(next) === 41) end = next + 1;
    }
    pos = end;
  }
  return { calls, end, program, cut, reach: Math.max(end, parser.pos) };
}

interface Head {
  readonly name: string;
  readonly start: number;
  readonly paren: number;
  /** Brackets opened before the call that must close behind it. */
  readonly wrapped: number;
  /** `print(x)`: neither a call of ours nor part of a program. */
  readonly harmless: boolean;
}

/** The function name of a statement and the `(` behind it. */
function readHead(text: string, at: number): Head | undefined {
  let pos = at;
  let wrapped = 0;
  for (let steps = 0; steps < 6; steps++) {
    const start = pos;
    while (pos < text.length && pos - start < 200 && isNameChar(text.charCodeAt(pos))) pos++;
    if (pos === start) return undefined;
    const name = text.slice(start, pos);
    const next = skipBlanks(text, pos);
    const code = text.charCodeAt(next);
    if (name === 'await' || name === 'return') {
      pos = next;
    } else if (code === 61 && text.charCodeAt(next + 1) !== 61) {
      pos = skipBlanks(text, next + 1);
    } else if (code === 40 && name === 'print') {
      pos = skipBlanks(text, next + 1);
      wrapped++;
    } else if (code === 40) {
      return { name, start, paren: next, wrapped, harmless: false };
    } else {
      return { name, start, paren: next, wrapped, harmless: wrapped > 0 && code === 41 };
    }
  }
  return undefined;
}

function readCall(parser: ValueParser, { name, start, paren }: Head): PythonCall {
  const { text } = parser;
  const named: { [key: string]: JsonValue } = {};
  const positional: JsonValue[] = [];
  const barewords: string[] = [];
  let problem: PythonCall['problem'];
  parser.reset(paren, true);
  if (text.charCodeAt(paren) !== 40) {
    parser.cut = paren >= text.length ? 'inside' : 'no';
    problem = 'syntax';
  } else {
    parser.pos = paren + 1;
    while (!parser.stopped && readArgument(parser, named, positional, barewords));
  }
  if (parser.expression) problem = 'expression';
  else if (parser.placeholder) problem = 'placeholder';
  else if (parser.broken) problem = 'syntax';
  return {
    name,
    start,
    end: parser.pos,
    named,
    positional,
    cut: parser.cut,
    ...(problem === undefined ? {} : { problem }),
    barewords,
    repairs: [...parser.repairs],
  };
}

/** One argument and the comma behind it. False at the end of the list. */
function readArgument(
  parser: ValueParser,
  named: { [key: string]: JsonValue },
  positional: JsonValue[],
  barewords: string[],
): boolean {
  const { text } = parser;
  parser.trivia();
  if (parser.pos >= text.length) {
    parser.cut = 'inside';
    return false;
  }
  if (text.charCodeAt(parser.pos) === 41) {
    parser.pos++;
    return false;
  }
  let key: string | undefined;
  const spread = text.startsWith('**', parser.pos);
  if (spread) parser.pos += 2;
  else key = readKeyword(parser);
  if (parser.stopped) return false;
  const wasBare = parser.barewords;
  parser.barewords = false;
  const value = parser.value('arguments', 1);
  if (parser.barewords) barewords.push(key ?? '');
  parser.barewords ||= wasBare;
  if (value !== undefined) {
    if (key !== undefined) put(named, key, value);
    else if (spread && isJsonObject(value))
      for (const [k, v] of Object.entries(value)) put(named, k, v);
    else positional.push(value);
  }
  return afterArgument(parser);
}

function afterArgument(parser: ValueParser): boolean {
  if (parser.stopped || parser.placeholder) return false;
  const { text } = parser;
  parser.trivia();
  const code = text.charCodeAt(parser.pos);
  if (Number.isNaN(code)) {
    parser.cut = 'closers';
    return false;
  }
  if (code === 44 || code === 0xff0c) {
    parser.pos++;
    return true;
  }
  if (code === 41) return true;
  if (code === 60 || code === 93 || text.startsWith('```', parser.pos)) {
    parser.mend('missing_closer');
    return false;
  }
  parser.fail();
  parser.expression = true;
  return false;
}

/** `name=` or `name:` before a value; undefined for a positional one. */
function readKeyword(parser: ValueParser): string | undefined {
  const { text, pos } = parser;
  let i = pos;
  const quote = text.charCodeAt(i) === 34 || text.charCodeAt(i) === 39 ? text.charCodeAt(i) : 0;
  if (quote !== 0) i++;
  const start = i;
  while (
    i < text.length &&
    i - start < 128 &&
    (isWord(text.charCodeAt(i)) || text.charCodeAt(i) === 45)
  )
    i++;
  if (i === start) return undefined;
  const name = text.slice(start, i);
  if (quote !== 0) {
    if (text.charCodeAt(i) !== quote) return undefined;
    i++;
  }
  const next = skipBlanks(text, i);
  if (next >= text.length) {
    if (quote === 0) {
      parser.pos = next;
      parser.cut = 'inside';
    }
    return undefined;
  }
  const code = text.charCodeAt(next);
  const separates = (code === 61 && text.charCodeAt(next + 1) !== 61) || code === 58;
  if (!separates) return undefined;
  if (code === 58 && quote === 0 && !isSpace(text.charCodeAt(next + 1))) return undefined;
  parser.pos = next + 1;
  return name;
}

/** White space, comments, and the `,` or `;` between calls. */
function skipBetween(parser: ValueParser, at: number): number {
  parser.pos = at;
  for (;;) {
    parser.trivia();
    const code = parser.text.charCodeAt(parser.pos);
    if (code !== 44 && code !== 59) return parser.pos;
    parser.pos++;
  }
}

function skipBlanks(text: string, at: number): number {
  let i = at;
  while (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9) i++;
  return i;
}

function skipLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
