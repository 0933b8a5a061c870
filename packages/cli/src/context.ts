import type { Terminal } from './terminal.ts';

/** What every command gets. */
export interface CommandContext {
  /** Made once the options are read, because `--no-color` has a say in it. */
  readonly terminal: () => Terminal;
  /** Aborts when the user wants to stop (Ctrl-C). */
  readonly signal: AbortSignal;
}
