import { isJsonObject, type JsonObject } from '@forge/core';

/**
 * Google's word for a call that carries no signature because another model made it, or because
 * the signed call of its set is gone (ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const unsignedCall = 'skip_thought_signature_validator';

/** Makes sure the first call of a turn is signed: only that one needs to be. */
export function signFirstCall(parts: JsonObject[]): JsonObject[] {
  const first = parts.findIndex((part) => isJsonObject(part.functionCall));
  const call = parts[first];
  if (call === undefined || typeof call.thoughtSignature === 'string') return parts;
  return parts.with(first, { ...call, thoughtSignature: unsignedCall });
}
