import { ModelError } from '../model-error.ts';
import type { StreamDecoder, StreamEncoder, StreamEvent, Wire } from '../wire.ts';
import { boundedBody } from './error-text.ts';
import { kindOfStatus } from './kind-of-status.ts';
import {
  markHistory,
  markProofs,
  markStreamed,
  ownHistory,
  shownProofs,
  showStreamed,
} from './proof-of-origin.ts';
import { writeRetryAfter } from './retry-after.ts';
import { refuseTooDeep } from './too-deep.ts';

/**
 * A wire out of its codec, with what holds for every wire added: proofs go only to those who made
 * them (see `proof-of-origin.ts`), opaque blocks of a stream say whose they are and go to no other
 * wire, JSON nested too deep is refused instead of exhausting the stack, `decodeError` never
 * throws, and an error to be answered says how long to wait.
 */
export function defineWire(codec: Wire): Wire {
  const { name } = codec;
  return {
    ...codec,
    encodeRequest: (request) =>
      codec.encodeRequest({ ...request, messages: ownHistory(request.messages, name) }),
    decodeRequest(body, hints) {
      const request = refuseTooDeep('bad_request', () => codec.decodeRequest(body, hints));
      return { ...request, messages: markHistory(request.messages, name) };
    },
    encodeReply: (reply) =>
      codec.encodeReply({ ...reply, content: shownProofs(reply.content, name) }),
    decodeReply(body) {
      const reply = refuseTooDeep('bad_response', () => codec.decodeReply(body));
      return { ...reply, content: markProofs(reply.content, name) };
    },
    createStreamDecoder: () => markedDecoder(codec.createStreamDecoder(), name),
    createStreamEncoder: () => ownEncoder(codec.createStreamEncoder(), name),
    decodeError(response) {
      try {
        return refuseTooDeep('bad_response', () => codec.decodeError(response));
      } catch {
        const { status, body } = response;
        const message = `The server answered with status ${status} and a body nobody can read.`;
        return { kind: kindOfStatus(status), message, status, ...boundedBody(body) };
      }
    },
    encodeError: (error) => ({ headers: writeRetryAfter(error), ...codec.encodeError(error) }),
  };
}

function markedDecoder(decoder: StreamDecoder, wire: Wire['name']): StreamDecoder {
  let isOver = false;
  const told = (hear: () => readonly StreamEvent[]): readonly StreamEvent[] => {
    if (isOver) return [];
    let events: readonly StreamEvent[];
    try {
      events = refuseTooDeep('bad_response', hear);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      isOver = true;
      return [{ type: 'error', error: { kind: error.kind, message: error.message } }];
    }
    for (const { type } of events) {
      if (type === 'opaque' || type === 'signature') return events.map(tell);
    }
    return events;
  };
  const tell = (event: StreamEvent): StreamEvent => {
    if (event.type === 'opaque') return { ...event, wire };
    return event.type === 'signature' ? markStreamed(event, wire) : event;
  };
  return { push: (frame) => told(() => decoder.push(frame)), end: () => told(() => decoder.end()) };
}

function ownEncoder(encoder: StreamEncoder, wire: Wire['name']): StreamEncoder {
  return {
    push(event) {
      if (event.type === 'opaque' && event.wire !== undefined && event.wire !== wire) return [];
      return encoder.push(event.type === 'signature' ? showStreamed(event, wire) : event);
    },
  };
}
