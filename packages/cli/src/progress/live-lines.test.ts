import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Screen } from '../terminal.ts';
import { LiveLines } from './live-lines.ts';

/** A terminal as far as these lines use one: what stands on it, and what was written. */
class FakeScreen implements Screen {
  readonly canRedraw = true;
  readonly rows = 50;
  columns = 20;
  written = '';
  hidden = false;
  cells: string[] = [''];
  #row = 0;
  #listeners: (() => void)[] = [];

  style: Screen['style'] = (_, text) => text;

  onResize(listener: () => void) {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener);
    };
  }

  /** Long lines are broken, as a terminal does that has become narrower. */
  resize(columns: number) {
    this.columns = columns;
    const before = this.cells.slice(0, this.#row);
    this.cells = [
      ...before.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? ['']),
      '',
    ];
    this.#row = this.cells.length - 1;
    for (const listener of this.#listeners) listener();
  }

  write(text: string) {
    this.written += text;
    // The escape character is written as one that regular expressions may hold.
    const visible = text.replaceAll('\u001b', '␛');
    for (const [part] of visible.matchAll(/␛\[\??(\d*)([A-Za-z])|\n|[^␛\n]+/g)) {
      const move = /^␛\[(\??)(\d*)([A-Za-z])$/.exec(part);
      if (part === '\n') {
        this.#row += 1;
        this.cells[this.#row] ??= '';
      } else if (move === null) {
        this.cells[this.#row] = part;
      } else if (move[1] === '?') {
        this.hidden = move[3] === 'l';
      } else if (move[3] === 'A') {
        this.#row -= Number(move[2]);
      } else if (move[3] === 'B') {
        this.#row += Number(move[2]);
      } else if (move[3] === 'K') {
        this.cells[this.#row] = '';
      } else if (move[3] === 'J') {
        this.cells.length = this.#row + 1;
        this.cells[this.#row] = '';
      }
    }
    assert.ok(this.#row >= 0, 'the cursor left the screen');
  }

  get lines() {
    return this.cells.slice(0, this.#row);
  }

  get listeners() {
    return this.#listeners.length;
  }
}

describe('lines that are drawn over', () => {
  it('write only what changed', () => {
    const screen = new FakeScreen();
    const live = new LiveLines(screen);
    live.draw(['a', 'b', 'c']);
    screen.written = '';
    live.draw(['a', 'B', 'c']);
    assert.deepEqual(screen.lines, ['a', 'B', 'c']);
    assert.equal(screen.written.includes('a'), false);
    assert.equal(screen.written.includes('c'), false);
    screen.written = '';
    live.draw(['a', 'B', 'c']);
    assert.equal(screen.written, '');
    live.end();
  });

  it('always show what was drawn last, and nothing more', () => {
    const frames = fc.array(fc.array(fc.constantFrom('a', 'b', 'cc', 'ddd'), { maxLength: 6 }));
    fc.assert(
      fc.property(frames, (list) => {
        const screen = new FakeScreen();
        const live = new LiveLines(screen);
        for (const lines of list) {
          live.draw(lines);
          assert.deepEqual(screen.lines, lines);
        }
        live.end();
        assert.equal(screen.hidden, false);
      }),
    );
  });

  it('hide the cursor while they are drawn, and give it back at the end', () => {
    const screen = new FakeScreen();
    const live = new LiveLines(screen);
    assert.equal(screen.hidden, false);
    live.draw(['a']);
    assert.equal(screen.hidden, true);
    live.end();
    assert.equal(screen.hidden, false);
    assert.equal(screen.listeners, 0);
    assert.deepEqual(screen.lines, ['a'], 'what was drawn stays');
  });

  it('make room for something else, and come back below it', () => {
    const screen = new FakeScreen();
    const live = new LiveLines(screen);
    live.draw(['a', 'b']);
    live.clear();
    assert.deepEqual([screen.lines, screen.hidden], [[], false]);
    screen.write('a question\n');
    live.draw(['a', 'c']);
    assert.deepEqual(screen.lines, ['a question', 'a', 'c']);
    live.end();
  });

  it('leave nothing behind when the window becomes narrower or wider', () => {
    const screen = new FakeScreen();
    const live = new LiveLines(screen);
    live.draw(['0123456789', 'abc']);
    screen.resize(4);
    live.draw(['0123', 'abc']);
    assert.deepEqual(screen.lines, ['0123', 'abc']);
    screen.resize(30);
    assert.deepEqual(screen.lines, ['0123', 'abc']);
    live.end();
  });
});
