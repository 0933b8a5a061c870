import type { AssistantPart, ModelReply, ModelRequest, ToolCallPart } from '@forge/core';
import type { SeededRandom } from './seeded-random.ts';

/**
 * The mistakes models make:
 *
 * - `call_as_text`: the call is written into the answer, in one of many formats.
 * - `wrong_tool`: a tool that does not exist.
 * - `wrong_types`: an argument of another type.
 * - `missing_arguments`: an argument left out.
 * - `prose`: talk about the call instead of the call.
 * - `empty`: nothing at all.
 * - `truncated`: cut off by the length limit.
 * - `repeated`: the call before, once more.
 * - `damaged_json`: arguments that are almost JSON.
 * - `reasoning_leak`: thoughts in the answer, with their markers.
 */
export type Mistake =
  | 'call_as_text'
  | 'wrong_tool'
  | 'wrong_types'
  | 'missing_arguments'
  | 'prose'
  | 'empty'
  | 'truncated'
  | 'repeated'
  | 'damaged_json'
  | 'reasoning_leak';

export interface Mistaken {
  readonly reply: ModelReply;
  /** What was done, for a person. */
  readonly note: string;
}

export interface Occasion {
  readonly reply: ModelReply;
  readonly request: ModelRequest;
  readonly random: SeededRandom;
}

/** Gets a reply wrong in one way; undefined if this reply gives no occasion for it. */
export type MakeMistake = (occasion: Occasion) => Mistaken | undefined;

export function isCall(part: AssistantPart): part is ToolCallPart {
  return part.type === 'tool_call';
}
