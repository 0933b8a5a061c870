import { randomUUID } from 'node:crypto';
import type { ModelRequest } from '@forge/core';
import { type CallOptions, type ModelClient, toClient } from '../client/model-client.ts';
import { eventsOfReply } from '../wire/events-of-reply.ts';
import type { WireReply } from '../wire/wire.ts';
import { constrainRequest, keepsShape, readConstrained } from './constrained-call.ts';
import { countRefusals } from './count-refusals.ts';
import type { OnModelEvent } from './model-event.ts';

/** When replies are forced into the shape of a call: never, once nudges did not help, or always. */
export type ConstrainPolicy = 'off' | 'on-retry' | 'always';

export interface ConstrainOptions {
  readonly policy: ConstrainPolicy;
  /** With `on-retry`: the refusals in a row after which it begins. */
  readonly after?: number;
  readonly onEvent?: OnModelEvent;
  readonly newCallId?: () => string;
}

/**
 * A client that can have the server force the reply into the shape of a tool call (a JSON schema
 * turned into a grammar). It is the last rung for a weak model: nudges come first, since a
 * constrained model reasons less well. The reply comes back as a native call or an answer.
 */
export function withConstrainedCalls(client: ModelClient, options: ConstrainOptions): ModelClient {
  const { policy, after = 2, onEvent, newCallId = () => `call_${randomUUID()}` } = options;

  const applies = (request: ModelRequest): boolean => {
    if (policy === 'off' || request.tools.length === 0 || request.toolChoice === 'none') {
      return false;
    }
    const refusals = countRefusals(request.messages);
    if (policy === 'on-retry' && refusals < after) return false;
    onEvent?.({ type: 'constrained', model: client.id, refusals });
    return true;
  };

  /** Words are shown only once it is known that they are an answer, for half a call is no text. */
  const constrained = async (request: ModelRequest, call: CallOptions): Promise<WireReply> => {
    const { onDelta } = call;
    const asked = constrainRequest(request);
    const reply = await client.reply(asked.request, {
      ...call,
      onDelta: onDelta && ((delta) => delta.type === 'reasoning' && onDelta(delta)),
      overrides: { ...call.overrides, responseFormat: asked.responseFormat },
    });
    const read = readConstrained(reply, newCallId);
    if (!keepsShape(reply)) onEvent?.({ type: 'constraint_ignored', model: client.id });
    for (const part of read.content) if (part.type === 'text') onDelta?.(part);
    return read;
  };

  return toClient({
    ...client,
    reply: (request, call) =>
      applies(request) ? constrained(request, call) : client.reply(request, call),
    async *stream(request, call) {
      if (applies(request)) yield* eventsOfReply(await constrained(request, call));
      else yield* client.stream(request, call);
    },
  });
}
