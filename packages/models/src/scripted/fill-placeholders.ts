import type { JsonValue } from '@forge/core';
import { type Conversation, parseJson, valueAt } from './read-conversation.ts';

const placeholder = /\{\{\s*((?:input|result\.[\w-]+)(?:\.[\w-]+)*)\s*\}\}/g;

/**
 * Puts what the conversation holds where a script says `{{input.commit}}` or
 * `{{result.deploy.url}}`. A text that is one placeholder and nothing else becomes the value itself,
 * be it a list or a number; within words it becomes text. Any other double braces stay as they are.
 */
export function fillPlaceholders(
  value: JsonValue,
  conversation: Conversation,
  /** Called with a placeholder nothing is there for. */
  missing: (name: string) => never,
): JsonValue {
  const find = (name: string): JsonValue => {
    const found = lookUp(name, conversation);
    return found === undefined ? missing(name) : found;
  };
  const fill = (each: JsonValue): JsonValue => {
    if (typeof each === 'string') return fillText(each, find);
    if (Array.isArray(each)) return each.map(fill);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, fill(inner)]));
  };
  return fill(value);
}

function fillText(text: string, find: (name: string) => JsonValue): JsonValue {
  const [whole] = text.matchAll(placeholder);
  if (whole?.[1] !== undefined && whole[0] === text) return find(whole[1]);
  return text.replace(placeholder, (_, name: string) => {
    const found = find(name);
    return typeof found === 'string' ? found : JSON.stringify(found);
  });
}

function lookUp(name: string, conversation: Conversation): JsonValue | undefined {
  const [source, ...path] = name.split('.');
  if (source === 'input') {
    return path.length === 0
      ? conversation.input
      : (valueAt(conversation.inputValue, path) as JsonValue | undefined);
  }
  const [tool = '', ...rest] = path;
  const text = conversation.results.get(tool);
  if (text === undefined || rest.length === 0) return text;
  return valueAt(parseJson(text), rest) as JsonValue | undefined;
}
