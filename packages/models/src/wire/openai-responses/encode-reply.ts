import type { JsonObject } from '@forge/core';
import type { WireReply } from '../wire.ts';
import { createItemIds } from './item-ids.ts';
import { makeUpId } from './made-up-ids.ts';
import { responseObject } from './response-fields.ts';
import { showAssistant } from './show-assistant.ts';

/** Where ids and times of a response come from when the reply has none. */
export interface EncodeContext {
  readonly newId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function encodeReply(reply: WireReply, { newId, now }: EncodeContext): JsonObject {
  const { id = makeUpId('resp', newId()), model, content, finish, usage, extra } = reply;
  return responseObject({
    id,
    model,
    createdAt: Math.floor(now() / 1000),
    output: showAssistant(content, createItemIds(newId)),
    ending: { type: 'finished', finish },
    usage,
    extra,
  });
}
