import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

/** Deeper than any block of text goes, and far from what would exhaust the stack. */
const maxDepth = 8;

/**
 * What a block says to a reader who does not know its type: the text in a document or a search
 * result, else its type in brackets.
 */
export function textOfBlock(block: JsonObject): string {
  const words = [block.title, block.tool_name, ...wordsIn(block.source), ...wordsIn(block.content)];
  const said = words.filter((word) => typeof word === 'string' && word.trim() !== '');
  return said.length > 0 ? said.join('\n') : `[${String(block.type ?? 'content')}]`;
}

function wordsIn(value: JsonValue | undefined, depth = 0): JsonValue[] {
  if (depth > maxDepth) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((inner) => wordsIn(inner, depth + 1));
  if (!isJsonObject(value)) return [];
  if (value.type === 'text') return [value.text ?? value.data ?? ''];
  return value.type === 'content' ? wordsIn(value.content, depth + 1) : [];
}
