import {
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Usage,
} from '@forge/core';
import { isEmpty } from '../shared/json-fields.ts';
import { asList, asNumber, asText, otherFields } from '../shared/lenient.ts';
import { decodeFinish, encodeFinish } from './finish-reason.ts';
import { encodeUsage } from './usage.ts';

const responseFields = new Set([
  'candidates',
  'promptFeedback',
  'usageMetadata',
  'modelVersion',
  'responseId',
]);
const candidateFields = new Set(['content', 'finishReason', 'index']);

/**
 * What a response object holds, whole or a chunk of a stream. Read by hand, not by a schema:
 * this runs for every chunk, and nothing in one can be wrong enough to refuse.
 */
export function firstCandidate({ candidates }: JsonObject): JsonObject | undefined {
  return asList(candidates).find(isFirst);
}

export function partsOf(candidate: JsonObject | undefined): readonly JsonValue[] {
  const content = candidate?.content;
  return isJsonObject(content) ? asList(content.parts) : [];
}

/** Whether the prompt was refused: then there is no candidate. */
export function isBlocked({ promptFeedback }: JsonObject): boolean {
  return isJsonObject(promptFeedback) && typeof promptFeedback.blockReason === 'string';
}

/**
 * What has no word of ours: `candidate` (the first one's other fields), `candidates` (the ones
 * after it), `promptFeedback`, and any field we do not know by its name.
 */
export function unsaidFields(
  body: JsonObject,
  first: JsonObject | undefined,
): JsonObject | undefined {
  const others = otherFields(body, responseFields);
  const candidate = first === undefined ? undefined : otherFields(first, candidateFields);
  const more = asList(body.candidates).length > 1 || (first === undefined && body.candidates);
  const { promptFeedback } = body;
  if (!others && !candidate && !more && promptFeedback === undefined) return undefined;
  const candidates = asList(body.candidates).filter((one) => one !== first);
  return {
    ...others,
    ...(isJsonObject(promptFeedback) && { promptFeedback }),
    ...(candidate !== undefined && { candidate }),
    ...(candidates.length > 0 && { candidates }),
  };
}

function isFirst(candidate: JsonValue): candidate is JsonObject {
  return isJsonObject(candidate) && (asNumber(candidate.index) ?? 0) === 0;
}

/** How a reply ended, and Gemini's own word in `extra.finishReason` where ours would not lead back to it. */
export function readFinish(
  { finishReason, isRefused }: { finishReason: string | undefined; isRefused: boolean },
  hasCalls: boolean,
): { finish: FinishReason; raw: JsonObject } | undefined {
  if (finishReason === undefined) {
    return isRefused ? { finish: 'content_filter', raw: {} } : undefined;
  }
  const finish = decodeFinish(finishReason, hasCalls);
  return { finish, raw: encodeFinish(finish) === finishReason ? {} : { finishReason } };
}

/** A response object. Without `finish` it is a chunk of a stream that goes on. */
export function writeResponse({
  id,
  model,
  parts,
  finish,
  usage,
  extra = {},
}: {
  id: string | undefined;
  model: string | undefined;
  parts: readonly JsonObject[];
  finish?: FinishReason;
  usage?: Usage;
  extra?: JsonObject;
}): JsonObject {
  const { finishReason, candidate, candidates, usageMetadata, promptFeedback, ...others } = extra;
  const isRefused = finish === 'content_filter' && promptFeedback !== undefined && !parts.length;
  const counted = encodeUsage(usage, usageMetadata);
  const first: Record<string, JsonValue> = {
    ...(isJsonObject(candidate) ? candidate : {}),
    content: { role: 'model', parts },
    index: 0,
  };
  if (finish !== undefined) first.finishReason = asText(finishReason) ?? encodeFinish(finish);
  return {
    ...(!isRefused && { candidates: [first, ...asList(candidates)] }),
    ...(promptFeedback !== undefined && { promptFeedback }),
    ...(counted !== undefined && !isEmpty(counted) && { usageMetadata: counted }),
    ...(model !== undefined && { modelVersion: model }),
    ...(id !== undefined && { responseId: id }),
    ...others,
  };
}
