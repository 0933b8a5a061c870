import type { JsonObject } from '@forge/core';
import type { Wire } from '@forge/models';

/** What a client is run with. */
export interface Task {
  /** Of the server it is to speak to, without a version. */
  readonly url: string;
  /** An empty folder that is its home. */
  readonly home: string;
  /** The folder it works in. */
  readonly folder: string;
  readonly prompt: string;
}

export interface Launch {
  readonly args: readonly string[];
  /** All of its environment but PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files to write first, by their path from its home. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ToolUse {
  readonly name: string;
  readonly args: JsonObject;
}

/** A coding agent that can do one task without anybody at the keyboard. */
export interface CodingClient {
  readonly name: string;
  readonly title: string;
  /** On npm. */
  readonly package: string;
  readonly version: string;
  readonly wire: Wire['name'];
  /** The program in the folder it was installed to, as patterns, the first found wins. */
  readonly program: readonly string[];
  launch(task: Task): Launch;
  /** Its own tool call that shows a file. */
  show(file: string): ToolUse;
  /** The same call with an argument that has another name than the tool's. */
  misspelt(file: string): ToolUse;
  /** A tool it does not have, as models of other clients would call it. */
  readonly stranger: string;
}
