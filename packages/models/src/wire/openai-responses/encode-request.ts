import type { JsonObject, JsonValue, Message } from '@forge/core';
import { defined, isEmpty, objectOf, without } from '../shared/json-fields.ts';
import type { WireRequest } from '../wire.ts';
import { encodeItems } from './encode-items.ts';
import { fieldsOf } from './provider-fields.ts';
import { encodeTextConfig } from './text-format.ts';
import { writeToolChoice } from './tool-choice.ts';
import { encodeTool } from './tools.ts';

const merged = ['tools', 'tool_choice', 'text', 'reasoning'];

/**
 * The wire has no word for topK, minP, seed, stop, penalties or a reasoning budget, and the API
 * refuses what it does not know: they are not sent. A server that takes them gets them by `extra`.
 */
export function encodeRequest(request: WireRequest): JsonObject {
  const { extra, settings } = request;
  const { instructions, rest } = splitInstructions(request.messages);
  const tools = [...request.tools.map(encodeTool), ...listOf(extra.tools)];
  const body: Record<string, JsonValue | undefined> = {
    ...without(extra, merged),
    model: request.model === '' ? undefined : request.model,
    instructions: instructions ?? extra.instructions,
    input: rest.length === 0 ? undefined : encodeItems(rest),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: writeToolChoice(request.toolChoice, extra.tool_choice),
    parallel_tool_calls: request.parallelToolCalls,
    temperature: settings.temperature,
    top_p: settings.topP,
    max_output_tokens: settings.maxTokens,
    text: encodeTextConfig(request.responseFormat, objectOf(extra.text)),
    reasoning: encodeReasoning(request, objectOf(extra.reasoning)),
    stream: request.stream ? true : undefined,
  };
  return defined(body);
}

/** The leading system message, unless it came as an input item and says its role. */
function splitInstructions(messages: readonly Message[]): {
  instructions?: string;
  rest: readonly Message[];
} {
  const [first, ...rest] = messages;
  if (first?.role !== 'system' || fieldsOf(first).role !== undefined) return { rest: messages };
  if (first.content.length === 0) return { rest };
  return { instructions: first.content.map((part) => part.text).join('\n\n'), rest };
}

function encodeReasoning(request: WireRequest, rest: JsonObject): JsonObject | undefined {
  const effort = request.reasoning?.effort;
  const reasoning = { ...rest, ...(effort === undefined ? {} : { effort }) };
  return isEmpty(reasoning) ? undefined : reasoning;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
