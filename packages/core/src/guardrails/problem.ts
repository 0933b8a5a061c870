import type { JsonObject, JsonValue } from '../json.ts';
import type { SchemaIssue } from '../schema/compile-schema.ts';

/** What was wrong with a reply. A model's mistake is a value, never an exception. */
export type Problem =
  | { readonly kind: 'empty_reply' }
  | { readonly kind: 'cut_off'; readonly tool?: string }
  | { readonly kind: 'too_many_calls'; readonly count: number; readonly most: number }
  | { readonly kind: 'no_call'; readonly wanted: readonly string[] }
  /** The request forbids calls, or all but one tool. */
  | { readonly kind: 'not_chosen'; readonly tool: string; readonly only?: string }
  | {
      readonly kind: 'unknown_tool';
      readonly tool: string;
      readonly nearest: readonly string[];
      readonly known: readonly string[];
    }
  | {
      readonly kind: 'unusable_call';
      readonly tool: string;
      readonly reason: string;
      readonly example: JsonObject;
    }
  | {
      readonly kind: 'bad_arguments';
      readonly tool: string;
      readonly issues: readonly SchemaIssue[];
      /** A call that would be right, with what the model got right kept. */
      readonly example: JsonObject;
    }
  | {
      readonly kind: 'steps_missing';
      /** The terminal tool that was called, if it was not plain text. */
      readonly tool?: string;
      readonly missing: readonly string[];
    }
  | {
      readonly kind: 'prerequisite_missing';
      readonly tool: string;
      readonly needs: string;
      readonly match?: { readonly argument: string; readonly value: JsonValue };
    }
  | { readonly kind: 'loop'; readonly tools: readonly string[] };

/** How firmly a nudge speaks: it rises with each attempt in a row. */
export type Tone = 1 | 2 | 3;

export function toneOf(attemptsBefore: number): Tone {
  return attemptsBefore <= 0 ? 1 : attemptsBefore === 1 ? 2 : 3;
}
