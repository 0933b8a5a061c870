import {
  type AssistantPart,
  isJsonObject,
  type JsonValue,
  type ModelRequest,
  textOf,
} from '@forge/core';
import type { ResponseFormat, WireReply } from '../wire/wire.ts';
import { callFormat } from './call-schema.ts';
import { promptTools } from './prompt-tools.ts';

/** A request whose reply the server holds to the shape of a call, or of an answer. */
export interface ConstrainedRequest {
  /** The tools are described in the instructions; natively it has none. */
  readonly request: ModelRequest;
  readonly responseFormat: ResponseFormat;
}

/**
 * Asks for one step as JSON that a server can turn into a grammar: a call of one of the tools, or
 * an answer where the choice leaves one open. `readConstrained` reads what comes back.
 */
export function constrainRequest(request: ModelRequest): ConstrainedRequest {
  return {
    request: promptTools(request, 'json'),
    responseFormat: callFormat(request.tools, request.toolChoice),
  };
}

/**
 * The reply with its JSON as a native call or an answer. What is neither stays as it was: cut
 * off, or from a server that ignored the schema, it is for the guardrails to judge.
 */
export function readConstrained(reply: WireReply, newCallId: () => string): WireReply {
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

/** Whether the server kept to the shape. What is cut off was still held to it. */
export function keepsShape(reply: WireReply): boolean {
  return /^\s*(\{|$)/.test(textOf(reply)); // A grammar lets nothing come before the brace.
}

function parseStep(text: string): JsonValue | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed.next : undefined;
  } catch {
    return undefined;
  }
}
