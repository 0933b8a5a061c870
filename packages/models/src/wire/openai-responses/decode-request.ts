import type { JsonObject, JsonValue, Message } from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import type { WireRequest } from '../wire.ts';
import { decodeItems } from './decode-items.ts';
import { type DecodeContext, readKnown } from './read-known.ts';
import { requestBody } from './schemas.ts';
import { decodeTextConfig } from './text-format.ts';
import { readToolChoice } from './tool-choice.ts';
import { decodeTools } from './tools.ts';

export function decodeRequest(
  body: unknown,
  hints: { readonly model?: string; readonly stream?: boolean },
  newId: () => string,
): WireRequest {
  const context: DecodeContext = { kind: 'bad_request', newId };
  const { known, rest } = readKnown({
    schema: requestBody,
    body,
    at: 'body',
    kind: context.kind,
  });
  const { tools, others } = decodeTools(known.tools ?? [], context);
  const { choice, exact } = readToolChoice(known.tool_choice);
  const { format, rest: text } = decodeTextConfig(known.text ?? {});
  const { effort, ...reasoning } = known.reasoning ?? {};
  const extra: Record<string, JsonValue> = { ...rest };
  if (others.length > 0) extra.tools = others;
  if (!exact && known.tool_choice !== undefined) extra.tool_choice = known.tool_choice;
  if (!isEmpty(text)) extra.text = text;
  if (!isEmpty(reasoning)) extra.reasoning = reasoning;
  if (known.instructions !== undefined && typeof known.instructions !== 'string') {
    extra.instructions = known.instructions;
  }
  return {
    model: known.model ?? hints.model ?? '',
    messages: [...instructions(known.instructions), ...inputMessages(known.input, context)],
    tools,
    toolChoice: choice,
    ...(known.parallel_tool_calls !== undefined && {
      parallelToolCalls: known.parallel_tool_calls,
    }),
    settings: {
      ...(known.temperature !== undefined && { temperature: known.temperature }),
      ...(known.top_p !== undefined && { topP: known.top_p }),
      ...(known.max_output_tokens !== undefined && { maxTokens: known.max_output_tokens }),
    },
    ...(format !== undefined && { responseFormat: format }),
    ...(typeof effort === 'string' && { reasoning: { effort } }),
    stream: known.stream ?? hints.stream ?? false,
    extra,
  };
}

/** A system message without a role of its own: `encodeRequest` knows it by that. */
function instructions(value: JsonValue | undefined): Message[] {
  if (typeof value !== 'string') return [];
  return [{ role: 'system', content: [{ type: 'text', text: value }] }];
}

function inputMessages(
  input: string | readonly JsonObject[] | undefined,
  context: DecodeContext,
): Message[] {
  if (typeof input === 'string') {
    return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  }
  return decodeItems(input ?? [], context);
}
