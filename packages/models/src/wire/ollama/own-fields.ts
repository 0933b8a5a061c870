import type { JsonObject, JsonValue } from '@forge/core';
import { type Holder, keepOwn, ownFields, type Provider } from '../shared/provider-fields.ts';

/**
 * What only Ollama knows about a part, a message or a tool lives in `provider.ollama`:
 *
 * - `generatedId`: Ollama gave the call no id and is not sent ours.
 * - `message`, `call`, `function`, `tool`: further fields at that place.
 */
export function ollamaFields(holder: Holder): JsonObject {
  return ownFields('ollama', holder);
}

/** `{ provider }` with the fields that are set, or nothing. */
export function withOllamaFields(fields: Readonly<Record<string, JsonValue | undefined>>): {
  provider?: Provider;
} {
  return keepOwn('ollama', fields);
}
