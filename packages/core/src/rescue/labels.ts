import { isSpace, lineStart } from './chars.ts';

/** A word and a colon at the start of a line, as ReAct prompts and YAML have them. */
export interface Label {
  readonly kind: 'thought' | 'tool' | 'arguments' | 'observation' | 'answer';
  /** ReAct's own words, which no ordinary text has at the start of a line. */
  readonly sure: boolean;
  readonly start: number;
  readonly end: number;
}

const kinds: ReadonlyMap<string, readonly [Label['kind'], boolean]> = new Map([
  ['thought', ['thought', true]],
  ['action', ['tool', true]],
  ['tool', ['tool', false]],
  ['function', ['tool', false]],
  ['name', ['tool', false]],
  ['tool name', ['tool', false]],
  ['function name', ['tool', false]],
  ['tool call', ['tool', false]],
  ['function call', ['tool', false]],
  ['call', ['tool', false]],
  ['action input', ['arguments', true]],
  ['tool input', ['arguments', true]],
  ['arguments', ['arguments', false]],
  ['args', ['arguments', false]],
  ['parameters', ['arguments', false]],
  ['params', ['arguments', false]],
  ['input', ['arguments', false]],
  ['observation', ['observation', true]],
  ['tool response', ['observation', false]],
  ['tool result', ['observation', false]],
  ['tool output', ['observation', false]],
  ['final answer', ['answer', true]],
]);

const initials = new Set([...kinds.keys()].map((label) => label.charCodeAt(0)));

/** Before a label: indentation, and the marks of bold text and headings. */
const leads = ' \t*#';

const LONGEST = 24;

/** The label that ends with the colon at `colon`. */
export function labelAt(text: string, colon: number): Label | undefined {
  const start = lineStart(text, colon, LONGEST);
  if (start === undefined) return undefined;
  let from = start;
  while (from < colon && leads.includes(text.charAt(from))) from++;
  let to = colon;
  while (to > from && (text.charAt(to - 1) === '*' || isSpace(text.charCodeAt(to - 1)))) to--;
  if (to - from < 4 || to - from > 14 || !initials.has(text.charCodeAt(from) | 32))
    return undefined;
  const kind = kinds.get(text.slice(from, to).toLowerCase().replaceAll('_', ' '));
  if (kind === undefined) return undefined;
  let end = colon + 1;
  while (text.charAt(end) === '*') end++;
  return { kind: kind[0], sure: kind[1], start, end };
}

/** Whether the start of a line could still become a label. */
export function startsLabel(line: string): boolean {
  const plain = line.toLowerCase().replaceAll('_', ' ').replaceAll(/[*#]/g, '').trimStart();
  for (const label of kinds.keys()) if (label.startsWith(plain)) return true;
  return false;
}

/** Whether nothing but the lead of a label stands between the start of the line and `at`. */
export function leadsLine(text: string, at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - LONGEST); i--) {
    if (text.charAt(i) === '\n') return true;
    if (!leads.includes(text.charAt(i))) return false;
  }
  return at <= LONGEST;
}
