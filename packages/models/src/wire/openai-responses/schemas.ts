import * as z from 'zod';
import { jsonObject, jsonValue, numeric } from '../shared/schema-atoms.ts';
import { optional } from './read-known.ts';

/** A message without a type is legal, and content is text or parts. */
export const messageItem = z.object({
  type: optional(z.literal('message')),
  role: z.string(),
  content: optional(z.union([z.string(), z.array(jsonObject)])),
});

/** Arguments are JSON text; servers that send the object itself are understood. */
export const callItem = z.object({
  type: z.literal('function_call'),
  name: z.string(),
  call_id: optional(z.string()),
  arguments: optional(jsonValue),
});

export const callOutputItem = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: optional(jsonValue),
});

export const functionTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: optional(z.string()),
  parameters: optional(jsonObject),
  strict: optional(z.boolean()),
});

/** The fields of a request that have a counterpart in `WireRequest`; all others ride along. */
export const requestBody = z.object({
  model: optional(z.string()),
  input: optional(z.union([z.string(), z.array(jsonObject)])),
  instructions: optional(jsonValue),
  tools: optional(z.array(jsonObject)),
  tool_choice: optional(jsonValue),
  parallel_tool_calls: optional(z.boolean()),
  temperature: optional(numeric),
  top_p: optional(numeric),
  max_output_tokens: optional(numeric),
  text: optional(jsonObject),
  reasoning: optional(jsonObject),
  stream: optional(z.boolean()),
});

export const usageBody = z.object({
  input_tokens: optional(numeric),
  output_tokens: optional(numeric),
  input_tokens_details: optional(z.object({ cached_tokens: optional(numeric) })),
  output_tokens_details: optional(z.object({ reasoning_tokens: optional(numeric) })),
});

/** `output_text` is derived from `output`; kept, it would contradict a changed reply. */
export const responseBody = z.object({
  id: optional(z.string()),
  object: optional(z.string()),
  model: optional(z.string()),
  status: optional(z.string()),
  error: optional(jsonObject),
  incomplete_details: optional(jsonObject),
  output: optional(z.array(jsonObject)),
  output_text: optional(jsonValue),
  usage: optional(jsonObject),
});
