import type { ToolIndex } from './tool-index.ts';

/**
 * What the text at one place can still become.
 *
 * - `wait`: too early to say
 * - `plain`: ordinary text up to `end`
 * - `drop`: a marker of no meaning up to `end`
 * - `thought`: reasoning from `end` on, until `closers` if the format has its own
 * - `hold`: a call, or what only the end of the text can tell
 * - `brackets`, `fence`, `tag`: may hold a call; known once it closes
 */
export type Look =
  | { readonly kind: 'wait' | 'hold' }
  | { readonly kind: 'plain' | 'drop'; readonly end: number }
  | { readonly kind: 'thought'; readonly end: number; readonly closers?: readonly string[] }
  | { readonly kind: 'brackets' | 'fence'; readonly from: number }
  | { readonly kind: 'tag'; readonly from: number; readonly closer: string };

export interface LookContext {
  readonly index: ToolIndex;
  readonly inkStart: number;
  readonly inFence: boolean;
  /** Reasoning came before: answer tags are wrappers then. */
  readonly reasoned: boolean;
}

export const wait: Look = { kind: 'wait' };
export const hold: Look = { kind: 'hold' };

export function plain(end: number): Look {
  return { kind: 'plain', end };
}

/** `found` if `literal` stands at `at`, plain text if it cannot any more. */
export function lookLiteral(text: string, at: number, literal: string, found: Look): Look {
  if (text.startsWith(literal, at)) return found;
  return literal.startsWith(text.slice(at, at + literal.length)) ? wait : plain(at + 1);
}

const prefixes = ['functions.', 'default_api.', 'tools.', 'tool.', 'function.', 'api.', 'default.'];

/** Whether a tool's name, with or without a prefix, could start like this. */
export function startsTool(index: ToolIndex, word: string): boolean {
  if (index.startsName(word)) return true;
  return prefixes.some((prefix) =>
    word.startsWith(prefix)
      ? startsTool(index, word.slice(prefix.length))
      : prefix.startsWith(word),
  );
}
