import { ForgeError } from '@forge/core';
import type { Nearest } from '../files/nearest-lines.ts';
import { QuotingError } from '../inside/quoting-error.ts';

/** What a patch does to one file. */
export type FilePatch =
  | {
      readonly type: 'add';
      readonly path: string;
      readonly lines: readonly string[];
      readonly newline: boolean;
    }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly moveTo?: string;
      readonly hunks: readonly Hunk[];
    };

/** A place in a file and what becomes of it. */
export interface Hunk {
  /** The line it begins at in the old file, counted from 1, if the patch says. */
  readonly line?: number;
  /** Lines to be passed before it, outermost first. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** It ends where the file ends. */
  readonly atEnd: boolean;
  /** Whether the last line of the old and of the new file lacks its line break, if the patch says. */
  readonly bareEnd: { readonly old: boolean; readonly new: boolean };
}

export interface HunkLine {
  readonly op: ' ' | '-' | '+';
  readonly text: string;
}

export function patchProblem(problem: string): ForgeError {
  return new ForgeError(
    'tool_failed',
    `The patch was not applied: ${problem} No file was changed.`,
  );
}

/** The same, with the lines of the file that come nearest. */
export function patchMisses(problem: string, { why, quote, advice = '' }: Nearest): ForgeError {
  return new QuotingError('tool_failed', {
    said: `The patch was not applied: ${problem} ${why}`,
    quote,
    advice: `${advice} No file was changed.`.trim(),
    exact: true,
  });
}

export function hunkLine(line: string): HunkLine | undefined {
  if (line === '') return { op: ' ', text: '' };
  const op = line.charAt(0);
  return op === ' ' || op === '-' || op === '+' ? { op, text: line.slice(1) } : undefined;
}
