import type { Config } from './config.ts';
import type { Terminal } from './terminal.ts';

/** What every command gets. */
export interface CommandContext {
  /** Made once the options are read, because `--no-color` has a say in it. */
  readonly terminal: () => Terminal;
  /** Aborts when the user wants to stop (Ctrl-C). */
  readonly signal: AbortSignal;
  readonly config: Config;
  /** The working directory. */
  readonly cwd: string;
  /** Where answers to questions come from. */
  readonly stdin: NodeJS.ReadableStream;
  /** For servers, which end well by being stopped: from now on that is exit code 0, not 130. */
  readonly endsWellWhenStopped: () => void;
  /** The exit code of a command that did its work and has something to say with it. */
  readonly endWith: (code: number) => void;
}
