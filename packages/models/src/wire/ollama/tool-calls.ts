import { isJsonObject, type JsonObject, type JsonValue, type ToolCallPart } from '@forge/core';
import { argumentsObject } from '../shared/call-arguments.ts';
import type { CallIds } from '../shared/call-ids.ts';
import { asList, asText, otherFields } from '../shared/lenient.ts';
import { objectField } from '../shared/provider-fields.ts';
import { ollamaFields, withOllamaFields } from './own-fields.ts';

const callFields = new Set(['id', 'type', 'function']);
const functionFields = new Set(['name', 'arguments', 'index']);

/** The calls of a message. Older servers give them no id. */
export function decodeToolCalls(value: JsonValue | undefined, ids: CallIds): ToolCallPart[] {
  return asList(value)
    .filter(isJsonObject)
    .map((call): ToolCallPart => {
      const target = isJsonObject(call.function) ? call.function : {};
      const name = asText(target.name) ?? '';
      const id = asText(call.id);
      return {
        type: 'tool_call',
        id: id || ids.next(name),
        name,
        args: target.arguments ?? {},
        ...withOllamaFields({
          generatedId: id ? undefined : true,
          call: otherFields(call, callFields),
          function: otherFields(target, functionFields),
        }),
      };
    });
}

export function encodeToolCall(call: ToolCallPart, index: number): JsonObject {
  const fields = ollamaFields(call);
  return {
    ...objectField(fields, 'call'),
    ...(fields.generatedId !== true && { id: call.id }),
    function: {
      ...objectField(fields, 'function'),
      index,
      name: call.name,
      arguments: argumentsObject(call),
    },
  };
}
