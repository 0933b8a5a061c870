import type { JsonObject } from '@forge/core';

/** Ollama gives replies no id; when one was made tells it from the others of a conversation. */
export function scopeOf(body: JsonObject): string | undefined {
  const { created_at: at } = body;
  return typeof at === 'string' ? at.replace(/\W/g, '') : undefined;
}
