import type { JsonObject } from '@forge/core';
import type { StreamEvent, Wire, WireReply, WireRequest } from '@forge/models';

const nothing: JsonObject = {};

/** A request for the backend: what only the client's wire has a word for stays behind. */
export function requestFor(to: Wire, from: Wire, request: WireRequest): WireRequest {
  return to.name === from.name ? request : { ...request, extra: nothing };
}

/** A reply for the client: what only the backend's wire has a word for stays behind. */
export function replyFor(to: Wire, from: Wire, reply: WireReply): WireReply {
  if (to.name === from.name) return reply;
  const content = reply.content.filter((part) => part.type !== 'opaque' || part.wire === to.name);
  return { ...reply, content, extra: nothing };
}

/** A piece of a stream for the client, or undefined if it means nothing there. */
export function eventFor(to: Wire, from: Wire, event: StreamEvent): StreamEvent | undefined {
  if (to.name === from.name) return event;
  switch (event.type) {
    case 'start':
    case 'finish':
      return { ...event, extra: nothing };
    case 'opaque':
      return (event.wire ?? from.name) === to.name ? event : undefined;
    default:
      return event;
  }
}
