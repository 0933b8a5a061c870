import type { JsonObject, JsonValue } from '@forge/core';
import { type Holder, keepOwn, ownFields, type Provider } from '../shared/provider-fields.ts';

/**
 * What only Gemini knows about a part, a message or a tool lives in `provider.gemini`:
 *
 * - `thoughtSignature`: of the text or call it came on.
 * - `generatedId`: Gemini gave the call no id and is not sent ours.
 * - `part`, `call`, `blob`, `response`, `declaration`: further fields at that place.
 * - `structured`: the result's text is the JSON of the whole `response` object.
 * - `joined`: the message came in one content with the results before it.
 *
 * It has neither cache marks nor strictness, and refuses fields it does not know: those two, which
 * other wires share, are not sent here.
 */
export function geminiFields(holder: Holder): JsonObject {
  return ownFields('gemini', holder);
}

/** `{ provider }` with the fields that are set, or nothing. */
export function withGeminiFields(fields: Readonly<Record<string, JsonValue | undefined>>): {
  provider?: Provider;
} {
  return keepOwn('gemini', fields);
}
