import type { JsonObject } from '@forge/core';
import type { Config } from './config.ts';
import type { Interrupts } from './interrupts.ts';
import type { Terminal } from './terminal.ts';
import type { Workshop } from './workshop/workshop.ts';

/** What every command gets. */
export interface CommandContext {
  /** Made once the options are read, because `--no-color` has a say in it. */
  readonly terminal: () => Terminal;
  /** Aborts when the user wants to stop (Ctrl-C), unless a command has taken that over. */
  readonly signal: AbortSignal;
  /** For commands that end in their own way. */
  readonly interrupts: Interrupts;
  readonly config: Config;
  /** The working directory. */
  readonly cwd: string;
  /** Where answers to questions come from. */
  readonly stdin: NodeJS.ReadableStream;
  /** For servers, which end well by being stopped: from now on that is exit code 0, not 130. */
  readonly endsWellWhenStopped: () => void;
  /** The exit code of a command that did its work and has something to say with it. */
  readonly endWith: (code: number) => void;
  /** Puts together what commands about runs need. Whoever opens it closes it. */
  readonly openWorkshop: OpenWorkshop;
}

export type OpenWorkshop = (options: WorkshopOptions) => Promise<Workshop>;

export interface WorkshopOptions {
  readonly context: CommandContext;
  /** What the command line says of the settings, shaped like them. */
  readonly flags: JsonObject;
  /** A forge.yaml by its path, instead of the one that is found. */
  readonly file?: string;
  /** The repository. Default: that of the working directory. */
  readonly repo?: string;
}
