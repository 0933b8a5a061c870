import { isJsonObject, type JsonObject } from '@forge/core';
import { openProof, sealProof } from '../shared/sealed-proof.ts';
import { wireName } from './wire-name.ts';

export interface SealedReasoning {
  readonly signature?: string;
  readonly shape: JsonObject;
}

/**
 * A streamed proof is one string, yet giving a reasoning item back takes its id and shape as well.
 * So they travel inside that string, sealed. `streamed` says that the texts after it may have lost
 * their ids on the way.
 */
export function sealReasoning({ signature, shape }: SealedReasoning): string {
  const proof = signature === undefined ? {} : { signature };
  return sealProof({ maker: wireName, ...proof, fields: { reasoning: shape, streamed: true } });
}

/** What was sealed, or `undefined` for a signature of any other kind. */
export function openSeal(signature: string | undefined): SealedReasoning | undefined {
  const proof = openProof(signature);
  if (proof?.maker !== wireName || !isJsonObject(proof.fields.reasoning)) return undefined;
  const { signature: raw, fields } = proof;
  const { reasoning: shape } = fields;
  return isJsonObject(shape) ? { shape, ...(raw !== undefined && { signature: raw }) } : undefined;
}
