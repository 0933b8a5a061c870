import { randomUUID } from 'node:crypto';
import {
  type AssistantPart,
  isJsonObject,
  type JsonValue,
  type ModelRequest,
  textOf,
} from '@forge/core';
import { type CallOptions, type ModelClient, toClient } from '../client/model-client.ts';
import { eventsOfReply } from '../wire/events-of-reply.ts';
import type { WireReply } from '../wire/wire.ts';
import { callFormat } from './call-schema.ts';
import { countRefusals } from './count-refusals.ts';
import type { OnModelEvent } from './model-event.ts';
import { promptTools } from './prompt-tools.ts';

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
    const reply = await client.reply(promptTools(request, 'json'), {
      ...call,
      onDelta: onDelta && ((delta) => delta.type === 'reasoning' && onDelta(delta)),
      overrides: {
        ...call.overrides,
        responseFormat: callFormat(request.tools, request.toolChoice),
      },
    });
    const read = readStep(reply, newCallId);
    if (!beginsInShape(reply)) onEvent?.({ type: 'constraint_ignored', model: client.id });
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

/** The reply with its JSON as a call or an answer. What is neither stays as it was. */
function readStep(reply: WireReply, newCallId: () => string): WireReply {
  const next = parseStep(textOf(reply));
  if (!isJsonObject(next)) return reply;
  const others = reply.content.filter((part) => part.type !== 'text');
  const { name, arguments: args = {}, answer } = next;
  if (typeof name === 'string') {
    const call: AssistantPart = { type: 'tool_call', id: newCallId(), name, args };
    const finish = reply.finish === 'stop' ? 'tool_calls' : reply.finish;
    return { ...reply, content: [...others, call], finish };
  }
  if (typeof answer !== 'string') return reply;
  return { ...reply, content: [...others, { type: 'text', text: answer }] };
}

/** A grammar lets nothing come before the brace. What is cut off was still held to it. */
function beginsInShape(reply: WireReply): boolean {
  return /^\s*(\{|$)/.test(textOf(reply));
}

function parseStep(text: string): JsonValue | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed.next : undefined;
  } catch {
    return undefined; // Cut off, or from a server that ignored the schema: the guardrails judge it.
  }
}
