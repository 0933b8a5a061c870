import { styleText } from 'node:util';
import type { Config } from './config.ts';

export type Style = Parameters<typeof styleText>[0];

/** What is printed on. The standard streams are two of these. */
export interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string | Uint8Array): unknown;
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
}

const defaultColumns = 80;

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
    style: (style, text) => (color ? styleText(style, text, { validateStream: false }) : text),
    color,
    interactive,
    columns: config.columns ?? stdout.columns ?? defaultColumns,
  };
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
