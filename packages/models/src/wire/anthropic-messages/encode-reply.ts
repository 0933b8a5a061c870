import type { JsonObject } from '@forge/core';
import type { WireReply } from '../wire.ts';
import { encodeAssistantPart } from './encode-content.ts';
import { encodeStopReason } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

/** A reply as the API sends it. Id and model are never missing there. */
export function encodeReply(reply: WireReply): JsonObject {
  const { usage, stop_reason, stop_sequence, ...extra } = reply.extra;
  return {
    ...messageHead({ id: reply.id, model: reply.model, extra }),
    content: reply.content.flatMap((part) => encodeAssistantPart(part) ?? []),
    stop_reason: encodeStopReason({
      finish: reply.finish,
      stopReason: stop_reason,
      hasCalls: reply.content.some(({ type }) => type === 'tool_call'),
    }),
    stop_sequence: stop_sequence ?? null,
    usage: encodeUsage(reply.usage, usage),
  };
}

/** What a message starts with, whole or streamed. */
export function messageHead(head: {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly extra: JsonObject;
}): JsonObject {
  return {
    ...head.extra,
    id: head.id ?? 'msg_unknown',
    type: 'message',
    role: 'assistant',
    model: head.model ?? 'unknown',
  };
}
