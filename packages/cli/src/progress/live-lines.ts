import { stripVTControlCharacters } from 'node:util';
import { atExit, type Screen } from '../terminal.ts';
import { displayWidth } from './display-width.ts';

const esc = '\u001b[';
const hideCursor = `${esc}?25l`;
const showCursor = `${esc}?25h`;
const clearBelow = `${esc}J`;
const clearLine = `${esc}2K`;

/**
 * Lines at the end of a terminal that are drawn over in their place. Only what changed is written.
 * The cursor is below them, hidden from the first drawing to `end`, whatever ends the process.
 */
export class LiveLines {
  readonly #screen: Screen;
  readonly #stopListening: () => void;
  readonly #callOff: () => void;
  #drawn: readonly string[] = [];
  #columns: number;
  #isHidden = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#columns = screen.columns;
    this.#stopListening = screen.onResize(() => this.#redrawAll());
    this.#callOff = atExit(() => this.#show());
  }

  /** Lines have to fit the screen, in width and in number. */
  draw(lines: readonly string[]): void {
    if (this.#columns !== this.#screen.columns) this.#forget();
    let text = this.#isHidden ? '' : hideCursor;
    this.#isHidden = true;
    const first = lines.findIndex((line, index) => line !== this.#drawn[index]);
    const from = first === -1 ? lines.length : first;
    if (from === lines.length && lines.length === this.#drawn.length) {
      if (text !== '') this.#screen.write(text);
      return;
    }
    text += up(this.#drawn.length - from);
    for (let at = from; at < lines.length; at++) {
      // A line that stays is stepped over.
      if (lines[at] === this.#drawn[at]) text += `${esc}1B`;
      else text += `${clearLine}${lines[at]}\n`;
    }
    if (lines.length < this.#drawn.length) text += clearBelow;
    this.#drawn = lines;
    this.#screen.write(text);
  }

  /** Takes the lines away, so that something else can be printed in their place. */
  clear(): void {
    if (this.#drawn.length > 0) this.#screen.write(`${up(this.#height())}${clearBelow}`);
    this.#drawn = [];
    this.#show();
  }

  /** Leaves what is drawn where it is. */
  end(): void {
    this.#show();
    this.#drawn = [];
    this.#stopListening();
    this.#callOff();
  }

  #show(): void {
    if (this.#isHidden) this.#screen.write(showCursor);
    this.#isHidden = false;
  }

  #redrawAll(): void {
    const lines = this.#drawn;
    this.#forget();
    // Lines that are too long now are cut with the next drawing.
    if (lines.length > 0 && lines.every((line) => widthOf(line) <= this.#columns)) this.draw(lines);
  }

  /** After the width changed, what was drawn takes other rows: all of it is taken away. */
  #forget(): void {
    this.#columns = this.#screen.columns;
    if (this.#drawn.length > 0) this.#screen.write(`${up(this.#height())}${clearBelow}`);
    this.#drawn = [];
  }

  /** The rows that are taken: a terminal that became narrower has broken long lines. */
  #height(): number {
    const rows = this.#drawn.map((line) =>
      Math.max(1, Math.ceil(widthOf(line) / Math.max(1, this.#columns))),
    );
    return Math.min(
      rows.reduce((sum, each) => sum + each, 0),
      this.#screen.rows,
    );
  }
}

/** To the beginning of a line above. A key that was pressed may have moved the cursor aside (`^C`). */
function up(rows: number): string {
  return rows > 0 ? `\r${esc}${rows}A` : '\r';
}

function widthOf(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}
