import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ToolChoice,
  type ToolSpec,
} from '@forge/core';
import type { ResponseFormat } from '../wire/wire.ts';

/**
 * The shape of a reply that is a call of one of these tools, or an answer where one is allowed:
 * `{"next": {"name": …, "arguments": …}}`. The alternatives are an `anyOf` below the root,
 * because OpenAI and Gemini take neither `oneOf` nor a choice at the root; the names exclude
 * each other anyway.
 */
export function callFormat(tools: readonly ToolSpec[], choice: ToolChoice): ResponseFormat {
  const wanted =
    typeof choice === 'object' ? tools.filter((tool) => tool.name === choice.tool) : tools;
  const forms: JsonObject[] = wanted.map((tool, index) =>
    closed({
      name: { type: 'string', enum: [tool.name] },
      arguments: relocate(
        tool.inputSchema,
        `#/properties/next/anyOf/${index}/properties/arguments`,
      ),
    }),
  );
  if (choice === 'auto') forms.push(closed({ answer: { type: 'string' } }));
  const schema = closed({ next: { anyOf: forms } });
  return { type: 'json_schema', name: 'next_step', schema, strict: isStrict(schema) };
}

function closed(properties: JsonObject): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** The schema for its new place: references into itself follow it there. */
function relocate(schema: JsonSchema, place: string): JsonObject {
  const moved = typeof schema === 'boolean' ? {} : move(schema, place);
  return isJsonObject(moved) && Object.keys(moved).length > 0 ? moved : { type: 'object' };
}

function move(value: unknown, place: string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => move(item, place));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([key]) => key !== '$schema' && key !== '$id');
    return Object.fromEntries(
      entries.map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' && inner.startsWith('#')
          ? place + inner.slice(1)
          : move(inner, place),
      ]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}

/** Whether OpenAI's strict mode takes it: every object closed and every property required. */
function isStrict(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isStrict);
  if (!isJsonObject(value)) return true;
  const { type, properties, required, additionalProperties } = value;
  if (type === 'object' || isJsonObject(properties)) {
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const needed = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every((name) => needed.includes(name))) {
      return false;
    }
  }
  return Object.values(value).every(isStrict);
}
