import type { JsonObject } from '@forge/core';
import * as z from 'zod';
import { ModelError } from '../model-error.ts';
import { isEmpty, objectOf, withoutNulls } from '../shared/json-fields.ts';
import { readBody } from '../shared/read-body.ts';
import { jsonValue, label } from '../shared/schema-atoms.ts';
import type { WireReply } from '../wire.ts';
import { decodeSaid, encodeSaid } from './assistant.ts';
import type { ChatDialect } from './dialect.ts';
import { readError } from './error-body.ts';
import { toWireError } from './error-kind.ts';
import { decodeFinish, encodeFinish } from './finish.ts';
import { replyPlace, saidShape } from './shapes.ts';
import { decodeUsage, encodeUsage } from './usage.ts';

const choiceShape = z.looseObject({
  index: z.number().nullish(),
  message: saidShape.nullish(),
  finish_reason: z.string().nullish(),
});

const replyShape = z.looseObject({
  id: label.nullish(),
  object: z.string().nullish(),
  model: z.string().nullish(),
  choices: z.array(jsonValue).nullish(),
  usage: jsonValue.nullish(),
});

/** The first choice is the reply; others are kept in `extra.choices`. */
export function decodeReply(body: unknown): WireReply {
  const failure = readError(body);
  if (failure !== undefined) throw new ModelError(toWireError(failure, {}));
  const { id, object: _, model, choices, usage, ...rest } = readBody(replyShape, body, replyPlace);
  const [first, ...others] = choices ?? [];
  if (first === undefined) {
    throw new ModelError({ kind: 'bad_response', message: 'The reply has no choices.' });
  }
  const choice = readBody(choiceShape, first, replyPlace);
  const { index: __, message, finish_reason, ...choiceRest } = choice;
  const content = decodeSaid(message ?? {}, createReplyIds(id));
  const hasCalls = content.some((part) => part.type === 'tool_call');
  const { finish, raw } = decodeFinish(finish_reason, hasCalls);
  const counted = decodeUsage(usage);
  const kept = withoutNulls(objectOf(choiceRest));
  return {
    ...(id ? { id } : {}),
    ...(model ? { model } : {}),
    content,
    finish,
    ...(counted.usage === undefined ? {} : { usage: counted.usage }),
    ...(counted.cost === undefined ? {} : { cost: counted.cost }),
    extra: {
      ...objectOf(rest),
      ...(raw === undefined ? {} : { finish_reason: raw }),
      ...(others.length === 0 ? {} : { choices: others }),
      ...(isEmpty(kept) ? {} : { choice: kept }),
      ...(counted.rest === undefined ? {} : { usage: counted.rest }),
    },
  };
}

/** Ids for calls that came without: the same for the same reply, others for the next one. */
export function createReplyIds(replyId: string | null | undefined): () => string {
  let count = 0;
  return () => (replyId ? `call_${replyId}_${count++}` : `call_${count++}`);
}

export interface Stamp {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** `stamp` fills in what clients expect and the reply does not have. */
export function encodeReply(
  reply: WireReply,
  dialect: ChatDialect,
  stamp: () => Stamp,
): JsonObject {
  const { finish_reason, choices, choice, usage: usageRest, ...extra } = reply.extra;
  const { id, created } = stamp();
  const hasCalls = reply.content.some((part) => part.type === 'tool_call');
  // A client reads one string; only history may have lists.
  const message = encodeSaid(reply.content, { ...dialect, flattensText: true });
  return {
    created,
    ...extra,
    id: reply.id ?? id,
    object: 'chat.completion',
    model: reply.model ?? '',
    choices: [
      {
        logprobs: null,
        ...objectOf(choice),
        index: 0,
        message: { refusal: null, ...message },
        finish_reason: encodeFinish(reply.finish, finish_reason, hasCalls),
      },
      ...(Array.isArray(choices) ? choices : []),
    ],
    ...(reply.usage === undefined
      ? {}
      : { usage: encodeUsage(reply.usage, reply.cost, usageRest) }),
  };
}
