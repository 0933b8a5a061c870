import type { JsonObject } from '../json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** A tool as any caller has it: our spec, `{name, parameters}`, or the OpenAI wire shape. */
export type RescueTool =
  | { readonly name: string; readonly inputSchema?: JsonSchema }
  | { readonly name: string; readonly parameters?: JsonSchema }
  | {
      readonly type: 'function';
      readonly function: { readonly name: string; readonly parameters?: JsonSchema };
    };

export type Confidence = 'high' | 'medium' | 'low';

/** A call found in text. `name` is always a name from the tool list. */
export interface RescuedCall {
  readonly name: string;
  /** After lossless coercion to the tool's schema; best effort where they do not fit it. */
  readonly args: JsonObject;
  /**
   * The arguments as JSON text: the model's own characters when those were valid JSON and
   * nothing was coerced (integers past 2^53 keep their digits), else `JSON.stringify(args)`.
   */
  readonly argsText: string;
  /** Where the format carries one. */
  readonly id?: string;
  /** A short stable name: `hermes`, `mistral`, `pythonic`, `harmony`, `json`, … */
  readonly format: string;
  /** What was mended, by stable short names: `trailing_comma`, `coerced:days`, … */
  readonly repairs: readonly string[];
  readonly confidence: Confidence;
}

/** Something that looked like a call and is not usable. `name` is as the model wrote it. */
export interface RejectedCall {
  readonly name: string;
  readonly reason: string;
}

export interface RescueResult {
  readonly calls: readonly RescuedCall[];
  /** What remains for a person: trimmed, without marker text. */
  readonly content: string;
  /** What the model thought, `''` if nothing. A call in here is not a call. */
  readonly reasoning: string;
  /** The call in which the output was cut: for a nudge or a display, never to be executed. */
  readonly partial?: { readonly name: string; readonly args: JsonObject };
  readonly truncated: boolean;
  readonly rejected: readonly RejectedCall[];
}
