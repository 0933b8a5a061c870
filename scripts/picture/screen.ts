import { applyCodes, type CellStyle, plain } from './style.ts';

/** A character and how it looks. A wide one is followed by an empty cell. */
export interface Cell {
  readonly text: string;
  readonly style: CellStyle;
}

export type Screen = readonly (readonly Cell[])[];

const blank: Cell = { text: ' ', style: plain };

// A control sequence, an operating system command (titles, links), another escape, or one grapheme.
const pieces =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what this reads.
  /\u001b\[([?>=!]?)([\d;:]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]|[\s\S]/gu;

/**
 * What a terminal shows after that output: colours, and the moves that progress displays use
 * (carriage return, cursor up and down, erasing). Lines longer than `columns` wrap; the screen
 * grows downward without end.
 */
export function readScreen(output: string, columns: number): Screen {
  const rows: Cell[][] = [[]];
  let row = 0;
  let column = 0;
  let style = plain;
  const rowAt = (index: number): Cell[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  const put = (text: string): void => {
    const width = widthOf(text);
    if (width === 0) {
      const before = rowAt(row)[column - 1];
      if (before !== undefined && mark.test(text)) {
        rowAt(row)[column - 1] = { ...before, text: before.text + text };
      }
      return;
    }
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    const cells = rowAt(row);
    while (cells.length < column) cells.push(blank);
    cells[column] = { text, style };
    if (width === 2) cells[column + 1] = { text: '', style };
    column += width;
  };
  const control = (final: string, numbers: readonly number[]): void => {
    const count = Math.max(1, numbers[0] ?? 1);
    const mode = numbers[0] ?? 0;
    if (final === 'm') style = applyCodes(style, numbers.length === 0 ? [0] : numbers);
    else if (final === 'A') row = Math.max(0, row - count);
    else if (final === 'B') row += count;
    else if (final === 'C') column = Math.min(columns - 1, column + count);
    else if (final === 'D') column = Math.max(0, column - count);
    else if (final === 'G') column = Math.min(columns, count) - 1;
    else if (final === 'K') eraseLine(rowAt(row), column, mode);
    else if (final === 'J') {
      if (mode === 0) eraseLine(rowAt(row), column, 0);
      rows.splice(mode === 0 ? row + 1 : 0);
    }
  };
  for (const [piece, prefix, numbers = '', final] of output.matchAll(pieces)) {
    if (final !== undefined) {
      const values = numbers === '' ? [] : numbers.split(/[;:]/).map(Number);
      if (prefix === '') control(final, values);
    } else if (piece === '\n') {
      row += 1;
      column = 0;
    } else if (piece === '\r') column = 0;
    else if (piece === '\b') column = Math.max(0, column - 1);
    else if (piece === '\t') column = Math.min(columns - 1, (Math.floor(column / 8) + 1) * 8);
    else if (!piece.startsWith('\u001b')) put(piece);
  }
  rowAt(row);
  return rows;
}

function eraseLine(cells: Cell[], column: number, mode: number): void {
  if (mode === 0) cells.splice(column);
  else if (mode === 2) cells.splice(0);
  else for (let at = 0; at <= column && at < cells.length; at++) cells[at] = blank;
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/u;
const mark = /^[\p{Mn}\p{Me}]$/u;
const invisible = /^[\p{Cc}\p{Cf}]$/u;

/** How many columns a character takes. */
function widthOf(text: string): 0 | 1 | 2 {
  if (invisible.test(text) || mark.test(text)) return 0;
  return wide.test(text) ? 2 : 1;
}
