import type { Screen, Terminal } from '../terminal.ts';
import { LiveLines } from './live-lines.ts';
import { noProgress, type Progress } from './progress.ts';
import { renderProgress } from './render-progress.ts';
import type { PlannedStep, Reporter } from './reporter.ts';

/** Milliseconds between two drawings. */
const pace = 100;

/** A tree that is drawn again in its place, at most ten times a second. */
export class LiveReporter implements Reporter {
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #lines: LiveLines;
  readonly #rootId: string;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #progress: Progress;
  #planned: readonly PlannedStep[] = [];
  #frame = 0;
  #isSuspended = false;

  constructor({
    terminal,
    rootId,
    progress = noProgress,
    now = Date.now,
  }: {
    readonly terminal: Terminal;
    readonly rootId: string;
    readonly progress?: Progress;
    readonly now?: () => number;
  }) {
    this.#terminal = terminal;
    this.#screen = terminal.screen;
    this.#lines = new LiveLines(terminal.screen);
    this.#rootId = rootId;
    this.#progress = progress;
    this.#now = now;
    this.#timer = setInterval(() => this.tick(), pace);
  }

  event(progress: Progress): void {
    this.#progress = progress;
  }

  plan(steps: readonly PlannedStep[]): void {
    this.#planned = steps;
  }

  note(line: string): void {
    this.#lines.clear();
    this.#terminal.err(line);
    this.#draw();
  }

  suspend(): void {
    this.#isSuspended = true;
    this.#lines.clear();
  }

  resume(): void {
    this.#isSuspended = false;
    this.#draw();
  }

  /** The next picture. */
  tick(): void {
    this.#frame += 1;
    this.#draw();
  }

  end(): void {
    clearInterval(this.#timer);
    if (!this.#isSuspended) this.#draw();
    this.#lines.end();
  }

  #draw(): void {
    if (this.#isSuspended) return;
    const { columns, rows, style } = this.#screen;
    this.#lines.draw(
      renderProgress(this.#progress, {
        rootId: this.#rootId,
        // The last column stays free: some terminals break a line that fills it.
        width: columns - 1,
        height: rows - 2,
        now: this.#now(),
        frame: this.#frame,
        style,
        planned: this.#planned,
      }),
    );
  }
}
