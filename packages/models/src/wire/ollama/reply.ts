import { isJsonObject, type JsonObject } from '@forge/core';
import { ModelError } from '../model-error.ts';
import { createCallIds } from '../shared/call-ids.ts';
import { asText, otherFields } from '../shared/lenient.ts';
import { badBody } from '../shared/read-body.ts';
import type { WireReply } from '../wire.ts';
import { decodeAssistant } from './decode-messages.ts';
import { encodeAssistant } from './encode-messages.ts';
import { errorOf } from './errors.ts';
import { replyPlace } from './places.ts';
import {
  decodeFinish,
  decodeUsage,
  encodeFinish,
  encodeUsage,
  otherResponseFields,
} from './response.ts';
import { scopeOf } from './scope-of.ts';

const messageFields = new Set(['role', 'content', 'thinking', 'tool_calls']);

/**
 * A reply has no id on this wire. What else the message holds (images a model made) is in
 * `extra.message`.
 */
export function decodeOllamaReply(body: unknown): WireReply {
  const error = errorOf(body);
  if (error !== undefined) throw new ModelError(error);
  if (!isJsonObject(body)) throw badBody(replyPlace, 'it is no JSON object');
  const { message } = body;
  if (!isJsonObject(message)) throw badBody(replyPlace, 'it has no message');
  if (body.done === false) throw badBody(replyPlace, 'it is not finished');
  const { images: _, ...words } = message;
  const content = decodeAssistant(
    words,
    createCallIds(() => scopeOf(body)),
  );
  const hasCalls = content.some((part) => part.type === 'tool_call');
  const { finish, raw } = decodeFinish(asText(body.done_reason), hasCalls);
  const model = asText(body.model);
  const usage = decodeUsage(body);
  const rest = otherFields(message, messageFields);
  return {
    ...(model !== undefined && { model }),
    content,
    finish,
    ...(usage !== undefined && { usage }),
    extra: { ...otherResponseFields(body), ...(rest !== undefined && { message: rest }), ...raw },
  };
}

export function encodeOllamaReply(reply: WireReply, now: () => number): JsonObject {
  const { message, done_reason: raw, ...others } = reply.extra;
  return {
    model: reply.model ?? '',
    created_at: new Date(now()).toISOString(),
    message: {
      ...(isJsonObject(message) ? message : {}),
      ...encodeAssistant([...reply.content]),
    },
    done: true,
    done_reason: encodeFinish(reply.finish, raw),
    ...encodeUsage(reply.usage),
    ...others,
  };
}
