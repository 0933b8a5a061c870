import { isJsonObject } from '@forge/core';
import * as z from 'zod';
import { ModelError } from '../model-error.ts';
import { defined } from '../shared/json-fields.ts';
import type { WireReply } from '../wire.ts';
import { blocksOf, decodeAssistantBlock, typeOf } from './decode-content.ts';
import { decodeErrorBody } from './decode-error.ts';
import { fail, inReply, inside, optionalJson, optionalString, readObject } from './read-object.ts';
import { decodeStopReason } from './stop-reason.ts';
import { decodeUsage } from './usage.ts';

const replySchema = z.object({
  id: optionalString,
  type: optionalJson,
  role: optionalJson,
  model: optionalString,
  content: optionalJson,
  stop_reason: optionalJson,
  stop_sequence: optionalJson,
  usage: optionalJson,
});

/**
 * A body of the API's reply. `extra.stop_reason` is the wire's own word; `extra.usage` what the
 * common counts do not say. An error in the place of a reply is thrown as that error.
 */
export function decodeReply(body: unknown): WireReply {
  if (isError(body)) throw new ModelError(decodeErrorBody(body));
  const { fields, rest } = readObject(replySchema, body, inReply);
  if (fields.content === undefined && fields.type !== 'message') fail(inReply, 'it has no content');
  const within = inside(inReply, 'content');
  const { usage, rest: otherUsage } = decodeUsage(fields.usage ?? undefined);
  return {
    ...(fields.id && { id: fields.id }),
    ...(fields.model && { model: fields.model }),
    content: blocksOf(fields.content, within).map((block, at) =>
      decodeAssistantBlock(block, inside(within, at)),
    ),
    finish: decodeStopReason(fields.stop_reason ?? undefined),
    ...(usage && { usage }),
    extra: defined({
      ...rest,
      stop_reason: fields.stop_reason ?? undefined,
      stop_sequence: fields.stop_sequence ?? undefined,
      usage: otherUsage,
    }),
  };
}

/** Some servers leave out the type. */
function isError(body: unknown): boolean {
  if (typeOf(body) === 'error') return true;
  return isJsonObject(body) && body.content === undefined && isJsonObject(body.error);
}
