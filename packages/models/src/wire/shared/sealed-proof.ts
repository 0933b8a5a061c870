import { isJsonObject, type JsonObject } from '@forge/core';
import type { Wire } from '../wire.ts';
import { parseJson } from './parse-json.ts';

const prefix = 'forge:';

/** A wire's proof of a thought, and what else that wire needs to take the thought back. */
export interface Proof {
  readonly maker: Wire['name'];
  readonly signature?: string;
  /** What stands in `provider` under the maker's name. */
  readonly fields: JsonObject;
}

/**
 * A proof as one text, which says whose it is. To everyone else a signature is an opaque text that
 * they give back as it was, so a sealed one survives a detour through a client of another wire.
 */
export function sealProof({ maker, signature, fields }: Proof): string {
  return `${prefix}${maker}:${JSON.stringify({ signature, fields })}`;
}

/** What was sealed, or nothing for a signature of any other kind. */
export function openProof(signature: string | undefined): Proof | undefined {
  if (signature === undefined || !signature.startsWith(prefix)) return undefined;
  const end = signature.indexOf(':', prefix.length);
  const maker = makers.find((name) => name === signature.slice(prefix.length, end));
  const sealed = parseJson(signature.slice(end + 1));
  if (maker === undefined || !isJsonObject(sealed)) return undefined;
  const { signature: proof, fields } = sealed;
  return {
    maker,
    ...(typeof proof === 'string' && { signature: proof }),
    fields: isJsonObject(fields) ? fields : {},
  };
}

export const makers: readonly Wire['name'][] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'ollama',
];
