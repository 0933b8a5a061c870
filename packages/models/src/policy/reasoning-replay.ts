import type { ReasoningReplay } from '@forge/core';
import { normaliseModelName } from '../sampling/normalise-model-name.ts';

interface ReplayRow {
  /** Matched against the normalised name. */
  readonly family: RegExp;
  readonly replay: ReasoningReplay;
  readonly reason: string;
}

/** The first row that matches counts. */
export const reasoningReplayTable: readonly ReplayRow[] = [
  {
    family: /^claude/,
    replay: 'full',
    reason:
      'Signed thinking must come back unchanged with its tool calls; the API itself drops what it no longer needs.',
  },
  {
    family: /^(gemini|models-gemini)/,
    replay: 'full',
    reason:
      'Thought signatures must come back where they came; Gemini 3 refuses calls without them.',
  },
  {
    family: /^(gpt-oss)/,
    replay: 'full',
    reason:
      'Its format keeps the analysis between the calls of one turn; its template drops that of older turns.',
  },
  {
    family: /^(gpt|o\d|codex)/,
    replay: 'full',
    reason:
      'Reasoning items of the Responses API carry over between calls; the chat API ignores them.',
  },
  {
    family: /deepseek-r-?1/,
    replay: 'none',
    reason: 'R1 was trained on histories without earlier reasoning; its API refused them with 400.',
  },
  {
    family: /deepseek/,
    replay: 'full',
    reason:
      'Since V3.2 the API refuses a turn with tool calls (400) if its reasoning does not come back.',
  },
  {
    family: /(minimax-?m|kimi-k-?\d|glm-?[45])/,
    replay: 'full',
    reason:
      'Interleaved thinking: the makers ask for all reasoning back, and measured losses without.',
  },
  {
    family: /(qwen|qwq|nemotron|magistral|ministral|mistral|gemma|granite|lfm|phi)/,
    replay: 'last',
    reason:
      'Templates keep reasoning only after the last question; older reasoning costs window and helps nothing.',
  },
];

const unknownFamily: Omit<ReplayRow, 'family'> = {
  replay: 'last',
  reason: 'Unknown family: the plan behind the last call is kept, the window is not filled.',
};

/** Whether a model should get its earlier reasoning back, by its family, and why. */
export function reasoningReplayFor(model: string): {
  readonly replay: ReasoningReplay;
  readonly reason: string;
} {
  const name = normaliseModelName(model);
  const { replay, reason } =
    reasoningReplayTable.find((row) => row.family.test(name)) ?? unknownFamily;
  return { replay, reason };
}
