import type { CallZone } from './call-zone.ts';
import { skipSpace } from './chars.ts';
import { type Label, labelAt } from './labels.ts';
import type { Walker } from './walker.ts';

/** A `:` at `at`: the label of a ReAct step or of a YAML key, if it ends one. */
export function walkColon(walker: Walker, at: number): number {
  const label = labelAt(walker.scan.text, at);
  if (label === undefined) return at + 1;
  // In a fence these are words of the text it shows.
  const shown = walker.scan.fence !== undefined && walker.zone === undefined;
  if (shown && (label.kind === 'thought' || label.kind === 'answer')) return label.end;
  switch (label.kind) {
    case 'thought':
      walker.endThought(label.start);
      walker.thoughts.push({ start: label.start, from: label.end, end: undefined });
      return label.end;
    case 'tool':
      return walkToolLabel(walker, label);
    case 'arguments':
      return walkArgumentsLabel(walker, label);
    case 'observation':
      return walkObservation(walker, label);
    case 'answer':
      walker.endThought(label.start);
      walker.close(label.start, label.start);
      walker.answered = true;
      walker.scan.remove(label.start, label.end, 'marker');
      return label.end;
    default:
      return label.kind satisfies never;
  }
}

function walkToolLabel(walker: Walker, label: Label): number {
  const { scan } = walker;
  const { text, index } = scan;
  const lineEnd = endOfLine(text, label.end);
  const rest = lineEnd - label.end < 300 ? text.slice(label.end, lineEnd).trim() : '';
  if (label.sure) {
    walker.endThought(label.start);
    walker.acted = true;
  }
  const input = label.sure ? bracketInput(rest) : undefined;
  if (input !== undefined && index.resolve(input.name) !== undefined) {
    walker.close(label.start, label.start);
    const step = walker.enter({
      start: label.start,
      opener: '',
      strong: false,
      form: 'label',
      format: 'react',
      textFrom: lineEnd,
    });
    step.setName(input.name);
    step.takeInput(input.text);
    step.end = lineEnd;
    step.flush('next');
    walker.leave();
    return lineEnd;
  }
  const resolved = rest === '' ? undefined : index.resolve(rest);
  if (rest === '' || '{[<`'.includes(rest.charAt(0))) scan.announcements.push(label);
  const { zone } = walker;
  if (zone !== undefined && zone.opener !== '') {
    if (resolved === undefined || zone.hasName) return label.end;
    zone.setName(rest);
    zone.textFrom = lineEnd;
    zone.end = lineEnd;
    return lineEnd;
  }
  const unknown = label.sure && /^[\w.:/-]+$/.test(rest) && followedByArguments(text, lineEnd);
  if (resolved === undefined && !unknown) return label.end;
  if (!label.sure && !followedByArguments(text, lineEnd)) return label.end;
  walker.close(label.start, label.start);
  const entered = walker.enter({
    start: label.start,
    opener: '',
    strong: false,
    form: 'label',
    format: label.sure ? 'react' : 'yaml',
    textFrom: lineEnd,
  });
  entered.setName(rest);
  return lineEnd;
}

/** `Action: search[some words]`, as the first ReAct prompts had it. */
function bracketInput(rest: string): { name: string; text: string } | undefined {
  const found = /^([\w.-]+)\[(.*)\]$/.exec(rest);
  return found === null ? undefined : { name: found[1] ?? '', text: unquote(found[2] ?? '') };
}

/** The next line that is not blank starts with a label for arguments. */
function followedByArguments(text: string, at: number): boolean {
  const next = skipSpace(text, at);
  for (let i = next; i < Math.min(text.length, next + 24); i++) {
    if (text.charAt(i) === ':') return labelAt(text, i)?.kind === 'arguments';
  }
  return false;
}

function walkArgumentsLabel(walker: Walker, label: Label): number {
  const { scan, zone } = walker;
  const { text } = scan;
  if (zone?.resolved === undefined && zone?.written === undefined) return label.end;
  if (zone === undefined || !zone.hasName || zone.hasArguments) return label.end;
  zone.textFrom = label.end;
  zone.end = label.end;
  const next = skipSpace(text, label.end);
  if ('{[<`'.includes(text.charAt(next))) return label.end;
  const lineEnd = endOfLine(text, label.end);
  if (next < lineEnd) {
    // Plain text: the one input of a tool that has one.
    zone.takeText(lineEnd);
    zone.end = lineEnd;
    if (zone.opener === '') {
      zone.flush('next');
      walker.leave();
    }
    return lineEnd;
  }
  return takeBlock(walker, zone, lineEnd);
}

/** `key: value` lines, indented under the label; `- item` lines make a list. */
function takeBlock(walker: Walker, zone: CallZone, at: number): number {
  const { scan } = walker;
  const { text } = scan;
  let pos = at;
  let key: string | undefined;
  let items: string[] = [];
  const add = (): void => {
    if (key !== undefined && items.length > 0) {
      zone.addParameter({ key, raw: JSON.stringify(items), hint: 'json' });
    }
    items = [];
  };
  while (pos < text.length) {
    const from = pos + 1;
    const to = endOfLine(text, from);
    const line = text.slice(from, to);
    if (!/^\s+\S/.test(line)) break;
    const item = /^\s+- +(.*)$/.exec(line);
    const pair = /^\s+([\w-]+):(?: +(.*))?$/.exec(line);
    if (item !== null && key !== undefined) items.push(unquote(item[1] ?? ''));
    else if (pair !== null) {
      add();
      key = pair[1] ?? '';
      const value = pair[2]?.trim() ?? '';
      if (value !== '') zone.addParameter({ key, raw: unquote(value) });
    } else break;
    pos = to;
  }
  add();
  scan.visits += pos - at;
  zone.textFrom = pos;
  zone.end = pos;
  if (zone.opener === '') {
    zone.flush('next');
    walker.leave();
  }
  return pos;
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value.trim());
  return quoted === null ? value.trim() : (quoted[2] ?? '');
}

function walkObservation(walker: Walker, label: Label): number {
  const { scan, zone } = walker;
  walker.endThought(label.start);
  if (zone === undefined && scan.found.length === 0) return label.end;
  walker.close(label.start, label.start);
  if (scan.hasCall) {
    scan.invented = true;
    scan.remove(label.start, label.end, 'marker');
  }
  return label.end;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
