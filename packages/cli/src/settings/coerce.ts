import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { choicesOf } from '../project/schema-node.ts';

const yes = /^(?:true|1|yes|on)$/i;
const no = /^(?:false|0|no|off)$/i;
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * What a text of the environment may mean where the schema wants that, the likeliest first. A text
 * that means nothing there stays a text, for the schema to refuse.
 */
export function meanings(text: string, node: JsonObject | undefined): readonly JsonValue[] {
  const json = /^[[{]/.test(text) ? jsonIn(text) : undefined;
  const all = choicesOf(node).map((choice) => meaning(text, choice));
  return json === undefined || all.length < 2 ? all : [json, ...all];
}

function meaning(text: string, node: JsonObject): JsonValue {
  switch (node.type) {
    case 'boolean':
      if (yes.test(text)) return true;
      return no.test(text) ? false : text;
    case 'integer':
    case 'number':
      return number.test(text) ? Number(text) : text;
    case 'string':
      return text;
    case 'array':
      return listIn(text, isJsonObject(node.items) ? node.items : undefined);
    default:
      // A block, or anything at all: JSON where it is JSON.
      return jsonIn(text) ?? text;
  }
}

/** `a, b` or `["a", "b"]`. */
function listIn(text: string, item: JsonObject | undefined): JsonValue {
  if (text.startsWith('[')) return jsonIn(text) ?? text;
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => meanings(each, item)[0] ?? each);
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
