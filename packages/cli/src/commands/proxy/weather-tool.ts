import { createGuardrails, externalTool, type ModelReply, type ToolSpec } from '@forge/core';

/** The tool `check` asks for: one that any model should manage, with a choice to get wrong. */
export const weatherTool: ToolSpec = {
  name: 'get_weather',
  description: 'The current weather in a city.',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Name of the city' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['city', 'unit'],
  },
};

export const weatherQuestion = 'What is the weather in Oslo right now, in celsius? Use the tool.';

/** What a reply to that came to. */
export type Seen =
  /** A call in the wire's own place. */
  | { readonly saw: 'native'; readonly args: unknown; readonly mended: readonly string[] }
  /** A call written as text. */
  | {
      readonly saw: 'text';
      readonly format: string;
      readonly args: unknown;
      readonly mended: readonly string[];
    }
  /** Something like a call that cannot be used. */
  | { readonly saw: 'bad_call'; readonly problems: readonly string[] }
  /** Words only. */
  | { readonly saw: 'answer'; readonly text: string };

/** Judges a reply by the guardrails alone: one look, nothing asked again. */
export function readWeatherReply(reply: ModelReply): Seen {
  const verdict = createGuardrails({ tools: [externalTool(weatherTool)] }).check(reply);
  switch (verdict.kind) {
    case 'execute': {
      const args = verdict.calls[0]?.args;
      const mended = verdict.mended.map(({ what }) => what);
      return verdict.source === 'rescued'
        ? { saw: 'text', format: verdict.format ?? 'unknown', args, mended }
        : { saw: 'native', args, mended };
    }
    case 'answer':
      return { saw: 'answer', text: verdict.text };
    case 'retry':
    case 'blocked':
    case 'fatal':
      return { saw: 'bad_call', problems: verdict.problems.map(({ kind }) => kind) };
    default:
      return verdict satisfies never;
  }
}
