import { styleText } from 'node:util';
import type { Config } from './config.ts';

export type Style = Parameters<typeof styleText>[0];

/** What is printed on. The standard streams are two of these. */
export interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string | Uint8Array): unknown;
  /** Those that can change their size tell of it. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** Where progress shows: what is not the result, drawn again in its place. */
export interface Screen {
  /** Whether what was drawn can be drawn over. */
  readonly canRedraw: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Colours text for it; plain text where it takes no colours. */
  style(style: Style, text: string): string;
  /** Gives a way to stop. */
  onResize(listener: () => void): () => void;
}

/** The one place that prints: results to the standard output, everything else to the errors. */
export interface Terminal {
  /** Prints a line of the result. */
  out(line?: string): void;
  /** Prints a line that is not the result: progress, warnings, errors. */
  err(line?: string): void;
  /**
   * Prints bytes of a program that is not trusted: as they are where a program reads them, made
   * harmless where they would reach a terminal.
   */
  raw(
    stream: 'stdout' | 'stderr',
    bytes: Uint8Array,
    harmless: (bytes: Uint8Array) => string,
  ): void;
  /** Prints a question and leaves the line open for the answer. */
  ask(question: string): void;
  /** Colours text for the standard output; plain text where it takes no colours. */
  style(style: Style, text: string): string;
  readonly color: boolean;
  /** Where the output is looked at by a person, who can be shown things one after the other. */
  readonly interactive: boolean;
  readonly columns: number;
  /** The standard errors, as a place to draw on. */
  readonly screen: Screen;
}

const defaultColumns = 80;
const defaultRows = 24;

export function createTerminal(options: {
  config: Pick<Config, 'color' | 'columns'>;
  /** What the user asked for on the command line; wins over everything. */
  color?: boolean;
  stdout?: Stream;
  stderr?: Stream;
}): Terminal {
  const { config, stdout = process.stdout, stderr = process.stderr } = options;
  const interactive = stdout.isTTY === true;
  const color = options.color ?? config.color ?? interactive;
  return {
    out: (line = '') => void stdout.write(`${line}\n`),
    err: (line = '') => void stderr.write(`${line}\n`),
    raw: (name, bytes, harmless) => {
      const stream = name === 'stdout' ? stdout : stderr;
      stream.write(stream.isTTY === true ? harmless(bytes) : bytes);
    },
    ask: (question) => void stdout.write(question),
    style: styleWith(color),
    color,
    interactive,
    columns: config.columns ?? stdout.columns ?? defaultColumns,
    screen: screenOf(stderr, {
      columns: config.columns,
      color: options.color ?? config.color ?? stderr.isTTY === true,
    }),
  };
}

function styleWith(color: boolean): Terminal['style'] {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

/** Its size is asked for each time: a window changes it. */
function screenOf(
  stream: Stream,
  { columns, color }: { readonly columns: number | undefined; readonly color: boolean },
): Screen {
  return {
    canRedraw: stream.isTTY === true,
    get columns() {
      return columns ?? stream.columns ?? defaultColumns;
    },
    get rows() {
      return stream.rows ?? defaultRows;
    },
    write: (text) => void stream.write(text),
    style: styleWith(color),
    onResize: (listener) => {
      stream.on?.('resize', listener);
      return () => stream.off?.('resize', listener);
    },
  };
}

/** Calls it when this process ends, however it ends but for SIGKILL. Gives a way to call it off. */
export function atExit(work: () => void): () => void {
  process.on('exit', work);
  return () => process.off('exit', work);
}

/** Ends quietly when the reader of our output has gone away (`forge … | head`). */
export function endWhenUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
}
