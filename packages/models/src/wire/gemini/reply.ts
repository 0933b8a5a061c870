import { isJsonObject, type JsonObject } from '@forge/core';
import { ModelError } from '../model-error.ts';
import { createCallIds } from '../shared/call-ids.ts';
import { asText } from '../shared/lenient.ts';
import { badBody } from '../shared/read-body.ts';
import type { WireReply } from '../wire.ts';
import { decodeModelPart } from './decode-model-part.ts';
import { encodeModelPart } from './encode-model-part.ts';
import { errorOf } from './errors.ts';
import { replyPlace } from './places.ts';
import {
  firstCandidate,
  isBlocked,
  partsOf,
  readFinish,
  unsaidFields,
  writeResponse,
} from './response.ts';
import { decodeUsage } from './usage.ts';

/** A refused prompt is a reply without content. An error in the place of a reply is thrown as what it is. */
export function decodeGeminiReply(body: unknown): WireReply {
  const error = errorOf(body);
  if (error !== undefined) throw new ModelError(error);
  if (!isJsonObject(body)) throw badBody(replyPlace, 'it is no JSON object');
  const first = firstCandidate(body);
  const id = asText(body.responseId);
  const model = asText(body.modelVersion);
  const { usage, rest } = decodeUsage(body.usageMetadata);
  const ids = createCallIds(() => id);
  const content = partsOf(first)
    .filter(isJsonObject)
    .map((part) => decodeModelPart(part, ids))
    .filter((part) => part.type !== 'text' || part.text !== '');
  const hasCalls = content.some((part) => part.type === 'tool_call');
  const finishReason = asText(first?.finishReason);
  const end = readFinish({ finishReason, isRefused: isBlocked(body) }, hasCalls);
  if (end === undefined && body.candidates === undefined) {
    throw badBody(replyPlace, 'it has no candidate');
  }
  return {
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    content,
    finish: end?.finish ?? 'other',
    ...(usage !== undefined && { usage }),
    extra: {
      ...unsaidFields(body, first),
      ...(rest !== undefined && { usageMetadata: rest }),
      ...end?.raw,
    },
  };
}

export function encodeGeminiReply({
  id,
  model,
  content,
  finish,
  usage,
  extra,
}: WireReply): JsonObject {
  const parts = content.map(encodeModelPart).filter((part) => part !== undefined);
  return writeResponse({ id, model, parts, finish, ...(usage !== undefined && { usage }), extra });
}
