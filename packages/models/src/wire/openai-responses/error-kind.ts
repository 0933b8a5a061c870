import type { JsonObject } from '@forge/core';
import { readError } from '../openai-chat/error-body.ts';
import { toWireError } from '../openai-chat/error-kind.ts';
import type { WireError, WireErrorKind } from '../wire-error.ts';

/** Codes that only this API has, beside those it shares with chat completions. */
const kinds: ReadonlyMap<unknown, WireErrorKind> = new Map([
  ['server_is_overloaded', 'overloaded'],
  ['slow_down', 'overloaded'],
  ['server_error', 'unavailable'],
  ['vector_store_timeout', 'timeout'],
  ['bio_policy', 'content_filter'],
  ['cyber_policy', 'content_filter'],
  ['misalignment_policy_violation', 'content_filter'],
  ['image_content_policy_violation', 'content_filter'],
  ['invalid_prompt', 'bad_request'],
  ['data_residency_mismatch', 'bad_request'],
]);

const imageFault = /image/;

/** An `error` object in the middle of a stream or in a failed response. */
export function errorFromBody(error: JsonObject): WireError {
  const plain = Object.entries(error).filter(([, value]) => typeof value !== 'object');
  const details = readError({ error: Object.fromEntries(plain) });
  const told = toWireError(details, { body: JSON.stringify(error) });
  const kind = told.kind === 'unavailable' ? kindOfCode(error.code) : undefined;
  return kind === undefined ? told : { ...told, kind };
}

function kindOfCode(code: unknown): WireErrorKind | undefined {
  const kind = kinds.get(code);
  if (kind !== undefined) return kind;
  return typeof code === 'string' && imageFault.test(code) ? 'bad_request' : undefined;
}
