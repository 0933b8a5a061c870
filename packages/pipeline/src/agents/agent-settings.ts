import type { JsonValue } from '@forge/core';

/** What `forge.yaml` may say under `agents.<name>`, as far as agents themselves are concerned. */
export interface AgentSettings {
  /** A file with its instructions, in the project. */
  readonly prompt?: string | undefined;
  readonly description?: string | undefined;
  /** Turns of the model in one run. */
  readonly max_iterations?: number | undefined;
  /** Tokens of one reply. */
  readonly max_tokens?: number | undefined;
  /** The word the router knows its work by. */
  readonly task_type?: string | undefined;
  /** For agents of one's own: the names of its tools. */
  readonly tools?: readonly string[] | undefined;
  /** JSON Schema of what it is given. */
  readonly input?: Readonly<Record<string, JsonValue>> | undefined;
  /** JSON Schema of what it hands on. */
  readonly output?: Readonly<Record<string, JsonValue>> | undefined;
}
