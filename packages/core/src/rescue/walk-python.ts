import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { isNameChar, isWord, lineStart, skipSpace } from './chars.ts';
import { labelAt } from './labels.ts';
import { type PythonCall, type PythonCalls, readPythonCalls } from './python-calls.ts';
import { isPadded } from './read-bareword.ts';
import type { Form } from './scan.ts';
import type { ResolvedName, ToolFacts } from './tool-index.ts';
import { put } from './value-parser.ts';
import type { Walker } from './walker.ts';

interface Reading {
  readonly start: number;
  readonly form: Form;
  readonly format: string;
  /** Unquoted words may be strings: not in code, where they are variables. */
  readonly barewords: boolean;
  readonly strong: boolean;
}

/**
 * A block of Python statements from `from`. Undefined when no call of a known tool is in it.
 * A block that does more than call tools with literals is a program and is not run.
 */
export function walkCode(
  walker: Walker,
  {
    start,
    from,
    format,
    form,
    name,
  }: {
    start: number;
    from: number;
    format: string;
    form: Form;
    /** ChatGLM3 writes the tool's name above the block and `tool_call(…)` inside. */
    name?: string | undefined;
  },
): number | undefined {
  const { scan } = walker;
  const { index, parser } = scan;
  if (!scan.mayGoBack) return undefined;
  const read = readPythonCalls(parser, from, {
    list: scan.text.charAt(skipSpace(scan.text, from)) === '[' && name === undefined,
    block: true,
    wanted: (word) =>
      index.resolve(word) !== undefined || (name !== undefined && word === 'tool_call'),
  });
  scan.visits += read.reach - from;
  if (read.calls.length === 0) return undefined;
  if (read.program) {
    for (const call of read.calls)
      scan.reject(index.resolve(call.name)?.tool.name ?? call.name, 'not a literal');
    return read.end;
  }
  const named =
    name === undefined ? read : { ...read, calls: read.calls.map((call) => ({ ...call, name })) };
  const accepted = acceptPython(walker, named, {
    start,
    form,
    format,
    barewords: false,
    strong: true,
  });
  if (accepted > 0) scan.remove(start, closeOf(scan.text, read.end), 'call');
  return read.end;
}

/** Behind a block: its closing tag goes with it. */
function closeOf(text: string, at: number): number {
  const next = skipSpace(text, at);
  const close = /^<\/(?:code|tool_code|execute)>/i.exec(text.slice(next, next + 16));
  return close === null ? at : next + close[0].length;
}

/** A `(` at `at`: a call, if a tool's name stands before it where a statement may begin. */
export function walkParen(walker: Walker, at: number): number {
  const { scan, zone } = walker;
  const { text, index, parser } = scan;
  let from = at;
  while (from > 0 && at - from < 200 && isNameChar(text.charCodeAt(from - 1))) from--;
  while (from < at && !isWord(text.charCodeAt(from))) from++;
  if (from === at) return at + 1;
  const known = index.resolve(text.slice(from, at)) !== undefined;
  if (zone !== undefined && !zone.hasArguments) {
    const start = skipSpace(text, zone.textFrom);
    if (!known && (!zone.strong || start !== from)) return at + 1;
    const read = readPythonCalls(parser, known ? Math.min(start, from) : from, {
      list: false,
      block: false,
      wanted: () => true,
    });
    scan.visits += read.reach - start;
    if (read.calls.length === 0) return at + 1;
    const where = {
      start: zone.start,
      form: zone.form,
      format: zone.format,
      barewords: true,
      strong: zone.strong,
    };
    zone.outcomes += acceptPython(walker, read, where);
    zone.textFrom = read.end;
    zone.end = read.end;
    return read.end;
  }
  if (!known || zone !== undefined) return at + 1;
  const start = statementStart(text, from);
  if (start === undefined) return at + 1;
  const read = readPythonCalls(parser, start, {
    list: false,
    block: false,
    wanted: (word) => index.resolve(word) !== undefined,
  });
  scan.visits += read.reach - start;
  const end = skipCloser(text, read.end);
  if (read.calls.length === 0 || !endsLine(text, end)) return at + 1;
  const reading: Reading = {
    start,
    form: 'python',
    format: 'pythonic',
    barewords: false,
    strong: false,
  };
  if (acceptPython(walker, read, reading) > 0) scan.remove(start, end, 'call');
  return Math.max(end, at + 1);
}

/** `[f(a=1), g()]` from the `[` at `at`. Undefined if it is no such list. */
export function walkPythonList(walker: Walker, at: number): number | undefined {
  const { scan, zone } = walker;
  const { text, index, parser } = scan;
  const from = skipSpace(text, at + 1);
  let end = from;
  while (end < text.length && end - from < 200 && isNameChar(text.charCodeAt(end))) end++;
  if (end === from || text.charCodeAt(skipSpace(text, end)) !== 40) return undefined;
  const name = text.slice(from, end);
  const known = index.resolve(name) !== undefined;
  const alone = at === scan.inkStart;
  if (!known && zone?.strong !== true && !(alone && index.size > 0)) return undefined;
  const read = readPythonCalls(parser, from, { list: true, block: false, wanted: () => true });
  scan.visits += read.reach - at;
  if (read.calls.length === 0) return undefined;
  const start = zone?.start ?? at;
  const accepted = acceptPython(walker, read, {
    start,
    form: zone?.form ?? 'python',
    format: zone === undefined || zone.format === 'llama' ? 'pythonic' : zone.format,
    barewords: true,
    strong: zone?.strong === true || !alone || known,
  });
  if (zone !== undefined) {
    zone.outcomes += accepted;
    zone.textFrom = read.end;
    zone.end = read.end;
  } else if (accepted > 0) scan.remove(at, read.end, 'call');
  return read.end;
}

/** Hands the calls that were read to the scan; the number of calls and rejections. */
function acceptPython(walker: Walker, read: PythonCalls, reading: Reading): number {
  const { scan } = walker;
  let outcomes = 0;
  for (const call of read.calls) {
    const resolved = scan.index.resolve(call.name);
    const plain = call.problem === undefined;
    if (resolved === undefined) {
      if (plain && Object.keys(call.named).length > 0) {
        scan.reject(call.name, 'unknown tool');
        outcomes++;
      }
      continue;
    }
    outcomes++;
    acceptOne(walker, call, resolved, reading);
  }
  return outcomes;
}

function acceptOne(
  walker: Walker,
  call: PythonCall,
  resolved: ResolvedName,
  reading: Reading,
): void {
  const { scan } = walker;
  const { tool } = resolved;
  const args = call.problem === undefined ? mapArguments(call, tool) : undefined;
  const words = call.barewords.some((key) => {
    const value = call.named[key];
    if (isPadded(value)) return tool.typesOf(key) === undefined;
    return !reading.barewords || !isWordFor(tool, key, value);
  });
  if (call.problem === 'placeholder') scan.reject(tool.name, 'placeholder argument');
  else if (args === undefined || words) {
    if (call.cut === 'no') scan.reject(tool.name, 'not a literal');
    else {
      scan.truncated = true;
      scan.partial = { name: tool.name, args: call.named };
      scan.remove(call.start, call.end, 'call');
    }
  } else {
    const raw = {
      resolved,
      args,
      format: reading.format,
      repairs: call.repairs,
      confidence: call.barewords.length > 0 ? 'low' : reading.strong ? 'high' : 'medium',
    } as const;
    const where = { start: call.start, end: call.end, form: reading.form };
    if (call.cut === 'no') scan.accept(raw, where);
    else scan.acceptCut(raw, where, call.cut === 'closers');
  }
}

/** An unquoted word is a string only where the schema wants one, and is not its own name. */
function isWordFor(tool: ToolFacts, key: string, value: JsonValue | undefined): boolean {
  return key !== '' && tool.typesOf(key)?.has('string') === true && value !== key;
}

/** Positional arguments by the order of the schema; one object is all the arguments. */
function mapArguments(call: PythonCall, tool: ToolFacts): JsonObject | undefined {
  const { positional, named } = call;
  if (positional.length === 0) return named;
  const [first] = positional;
  if (positional.length === 1 && isJsonObject(first) && Object.keys(named).length === 0) {
    const names = Object.keys(first);
    const firstType = tool.typesOf(tool.properties[0] ?? '');
    if (names.some((name) => tool.has(name)) || firstType?.has('object') !== true) return first;
  }
  const free = tool.properties.filter((name) => !Object.hasOwn(named, name));
  if (positional.length > free.length) return undefined;
  const args: { [key: string]: JsonValue } = {};
  positional.forEach((value, at) => {
    put(args, free[at] ?? '', value);
  });
  for (const [key, value] of Object.entries(named)) put(args, key, value);
  return args;
}

const leads = /^(?:[\s>*-]|\d+\.)*(?:(?:\w+\s*=|await|return)\s*|print\(\s*)*$/;

/** Where the statement starts whose function name starts at `from`; undefined in mid-sentence. */
function statementStart(text: string, from: number): number | undefined {
  const line = lineStart(text, from, 120);
  if (line === undefined) return undefined;
  const before = text.slice(line, from);
  const colon = before.lastIndexOf(':');
  if (colon !== -1 && labelAt(text, line + colon)?.kind === 'tool') {
    const rest = before.slice(colon + 1);
    return leads.test(rest) ? skipSpace(text, line + colon + 1) : undefined;
  }
  if (!leads.test(before)) return undefined;
  const lead = /^(?:[\s>*-]|\d+\.)*/.exec(before)?.[0].length ?? 0;
  return line + lead;
}

/** The end of a list whose start was left out. */
function skipCloser(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text.charAt(next) === ']' ? next + 1 : at;
}

function endsLine(text: string, at: number): boolean {
  let i = at;
  while (i < text.length && ' \t\r;,'.includes(text.charAt(i))) i++;
  if (at > 0 && text.charAt(at - 1) === '\n') return true;
  return (
    i >= text.length ||
    text.charAt(i) === '\n' ||
    text.startsWith('```', i) ||
    text.charAt(i) === '<'
  );
}
