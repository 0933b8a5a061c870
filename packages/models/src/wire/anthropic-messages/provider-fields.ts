import type { JsonObject } from '@forge/core';
import * as shared from '../shared/provider-fields.ts';
import { wireName } from './wire-name.ts';

/** `{ provider }` with fields of a block, message or tool that have no word of ours, or nothing. */
export function toProvider(fields: JsonObject): { provider?: shared.Provider } {
  return shared.keepFields(wireName, fields);
}

/** The way back. Fields of other wires stay here. */
export function fromProvider(holder: shared.Holder): JsonObject {
  return shared.keptFields(wireName, holder);
}

/** What this wire alone put there. */
export function ownFields(holder: shared.Holder): JsonObject {
  return shared.ownFields(wireName, holder);
}
