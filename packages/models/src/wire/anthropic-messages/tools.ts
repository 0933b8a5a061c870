import { isJsonObject, type JsonObject, type JsonValue, type ToolSpec } from '@forge/core';
import * as z from 'zod';
import { defined } from '../shared/json-fields.ts';
import { fromProvider, toProvider } from './provider-fields.ts';
import { inside, optionalJson, optionalString, type Place, readObject } from './read-object.ts';

const toolSchema = z.object({
  name: optionalString,
  description: optionalString,
  input_schema: optionalJson,
});

/**
 * Tools of the provider's making whose calls come back to the client: they are tools like any
 * other, except that the model knows their arguments by heart.
 */
const runByClient = /^(bash|text_editor|memory|computer)_\d/;

export interface DecodedTools {
  readonly tools: readonly ToolSpec[];
  /** Tools the provider runs itself, with their positions. They have no meaning elsewhere. */
  readonly serverTools: readonly JsonValue[];
}

export function decodeTools(list: readonly unknown[], place: Place): DecodedTools {
  const tools: ToolSpec[] = [];
  const serverTools: JsonValue[] = [];
  list.forEach((value, at) => {
    const { fields, rest } = readObject(toolSchema, value, inside(place, at));
    const { name, description, input_schema } = fields;
    const custom = rest.type === undefined || rest.type === 'custom';
    if (name && (custom || runByClient.test(String(rest.type)))) {
      const inputSchema = isJsonObject(input_schema) ? input_schema : custom ? anyObject : {};
      tools.push({ name, description: description ?? '', inputSchema, ...toProvider(rest) });
    } else if (isJsonObject(value)) serverTools.push({ at, tool: value });
  });
  return { tools, serverTools };
}

/** The tools, with those the provider runs where they stood. */
export function encodeTools(
  tools: readonly ToolSpec[],
  serverTools: JsonValue | undefined,
): readonly JsonObject[] {
  const list = tools.map(encodeTool);
  for (const entry of Array.isArray(serverTools) ? serverTools : []) {
    if (!isJsonObject(entry) || !isJsonObject(entry.tool)) continue;
    const at = typeof entry.at === 'number' ? entry.at : list.length;
    list.splice(at, 0, entry.tool);
  }
  return list;
}

const anyObject: JsonObject = { type: 'object' };

function encodeTool(tool: ToolSpec): JsonObject {
  const { name, description, inputSchema } = tool;
  const fields = fromProvider(tool);
  if (typeof fields.type === 'string' && fields.type !== 'custom') return { ...fields, name };
  return defined({
    ...fields,
    name,
    description: description === '' ? undefined : description,
    input_schema: isJsonObject(inputSchema) ? { ...anyObject, ...inputSchema } : anyObject,
  });
}
