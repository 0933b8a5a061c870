import type { JsonObject } from '@forge/core';
import { without } from '../shared/json-fields.ts';
import * as shared from '../shared/provider-fields.ts';
import type { ChatDialect } from './dialect.ts';

export const wireName = 'openai-chat';

/** Fields this codec has no word for, as `provider`. */
export function toProvider(rest: JsonObject): { provider?: shared.Provider } {
  return shared.keepFields(wireName, rest);
}

/** The way back, without cache marks for servers that refuse them. */
export function fromProvider(provider: JsonObject | undefined, dialect: ChatDialect): JsonObject {
  if (provider === undefined) return {};
  const kept = shared.keptFields(wireName, { provider });
  return dialect.sendsCacheControl ? kept : without(kept, ['cache_control']);
}

/** What this wire alone put there. */
export function ownFields(provider: JsonObject | undefined): JsonObject {
  return provider === undefined ? {} : shared.ownFields(wireName, { provider });
}
