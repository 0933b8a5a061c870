import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import { createCallIds } from '../shared/call-ids.ts';
import { asList, asText } from '../shared/lenient.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Frame, StreamDecoder, StreamEvent } from '../wire.ts';
import { decodeModelPart, decodeWords, modelPartKind } from './decode-model-part.ts';
import { errorOf } from './errors.ts';
import { firstCandidate, isBlocked, partsOf, readFinish, unsaidFields } from './response.ts';
import { decodeUsage } from './usage.ts';

/**
 * Each frame is a response object with new parts and the counts so far. Nothing marks the last
 * one (chunks may follow the one with the finish reason), so `finish` comes with `end()`. Only
 * the first candidate is heard. Words with a signature are a text of their own; a signature that
 * comes late, on empty text, is an opaque part.
 */
export function createGeminiStreamDecoder(): StreamDecoder {
  let isStarted = false;
  let isOver = false;
  let calls = 0;
  let id: string | undefined;
  let finishReason: string | undefined;
  let isRefused = false;
  let counts: JsonValue | undefined;
  let extra: JsonObject = {};
  let wasSigned = false;
  const ids = createCallIds(() => id);

  /** Words after a signed text do not belong to it: they begin another. */
  const sayText = (part: JsonObject, text: string): StreamEvent => {
    const { provider } = decodeWords(part);
    const isNext = wasSigned && provider === undefined;
    wasSigned = provider !== undefined;
    return { type: 'text', text, ...(isNext ? { provider: {} } : provider && { provider }) };
  };

  const hearPart = (part: JsonObject, events: StreamEvent[]) => {
    const words = asText(part.text) ?? '';
    const signature = asText(part.thoughtSignature);
    const kind = modelPartKind(part);
    if (kind !== 'text') wasSigned = false;
    switch (kind) {
      case 'text':
        if (words !== '') events.push(sayText(part, words));
        return;
      case 'thought':
        if (words !== '') events.push({ type: 'reasoning', text: words });
        if (signature !== undefined) events.push({ type: 'signature', signature });
        return;
      case 'call': {
        const call = decodeModelPart(part, ids);
        if (call.type !== 'tool_call') return;
        const { name, provider, args } = call;
        const index = calls;
        calls += 1;
        events.push({ type: 'call', index, id: call.id, name, ...(provider && { provider }) });
        const text = typeof args === 'string' ? args : JSON.stringify(args);
        events.push({ type: 'args', index, text });
        return;
      }
      case 'opaque':
        events.push({ type: 'opaque', value: part });
        return;
    }
  };

  const hear = (chunk: JsonValue, events: StreamEvent[]) => {
    const error = errorOf(chunk);
    if (error !== undefined || !isJsonObject(chunk)) {
      isOver = true;
      events.push({ type: 'error', error: error ?? unreadable });
      return;
    }
    if (!isStarted) {
      isStarted = true;
      id = asText(chunk.responseId);
      const model = asText(chunk.modelVersion);
      const head = { ...(id !== undefined && { id }), ...(model !== undefined && { model }) };
      events.push({ type: 'start', ...head, extra: {} });
    }
    const candidate = firstCandidate(chunk);
    for (const part of partsOf(candidate)) if (isJsonObject(part)) hearPart(part, events);
    finishReason = asText(candidate?.finishReason) ?? finishReason;
    isRefused ||= isBlocked(chunk);
    counts = chunk.usageMetadata ?? counts;
    const unsaid = unsaidFields(chunk, candidate);
    if (unsaid !== undefined) extra = addExtra(extra, unsaid);
  };

  return {
    push({ data }: Frame) {
      if (isOver || data === '' || data === '[DONE]') return [];
      const events: StreamEvent[] = [];
      const value = parseJson(data);
      if (value === undefined) {
        isOver = true;
        return [{ type: 'error', error: unreadable }];
      }
      for (const chunk of asList(value)) if (!isOver) hear(chunk, events);
      return events;
    },
    end() {
      if (isOver) return [];
      isOver = true;
      const finished = readFinish({ finishReason, isRefused }, calls > 0);
      if (finished === undefined) return [{ type: 'error', error: cutOff }];
      const { usage, rest } = decodeUsage(counts);
      const unsaid = { ...extra, ...(rest !== undefined && { usageMetadata: rest }) };
      return [
        {
          type: 'finish',
          finish: finished.finish,
          ...(usage && { usage }),
          extra: { ...unsaid, ...finished.raw },
        },
      ];
    },
  };
}

const unreadable = {
  kind: 'bad_response',
  message: 'Gemini sent a piece of a stream that cannot be read.',
} as const;

const cutOff = {
  kind: 'bad_response',
  message: 'Gemini stopped in the middle of its reply.',
} as const;

/** Later chunks say more: fields of the candidate add up, others are replaced. */
function addExtra(before: JsonObject, { candidates: _, ...unsaid }: JsonObject): JsonObject {
  const { candidate } = before;
  const joined: JsonObject =
    isJsonObject(candidate) && isJsonObject(unsaid.candidate)
      ? { candidate: { ...candidate, ...unsaid.candidate } }
      : {};
  return { ...before, ...unsaid, ...joined };
}
