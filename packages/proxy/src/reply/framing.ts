import {
  createNdjsonDecoder,
  createSseDecoder,
  encodeNdjson,
  encodeSse,
  type Frame,
  type FrameDecoder,
  type Wire,
} from '@forge/models';

export function framesFor({ framing }: Wire): FrameDecoder {
  return framing === 'sse' ? createSseDecoder() : createNdjsonDecoder();
}

export function writeFrame({ framing }: Wire, frame: Frame): string {
  return framing === 'sse' ? encodeSse(frame) : encodeNdjson(frame);
}

/** Who reads a stream, and how. */
interface Client {
  readonly wire: Wire;
  readonly readsList: boolean;
}

export function streamType({ wire, readsList }: Client): string {
  if (readsList) return 'application/json';
  return wire.framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/x-ndjson';
}

export function isStreamType(contentType: string): boolean {
  return /event-stream|ndjson/i.test(contentType);
}

/**
 * What keeps a quiet line open: a comment, which clients of server-sent events skip, or the ping
 * that Anthropic's clients know. Before a line or an item of JSON a space means nothing.
 */
export function heartbeatFor({ wire, readsList }: Client): string {
  if (wire.framing === 'ndjson' || readsList) return ' ';
  return wire.name === 'anthropic-messages'
    ? 'event: ping\ndata: {"type": "ping"}\n\n'
    : ': waiting\n\n';
}

/** Whether these bytes end with a whole frame, so that what follows begins one. */
export function endsFrame({ framing }: Wire, bytes: Buffer): boolean {
  const last = bytes.length - 1;
  if (bytes[last] !== LF) return false;
  if (framing === 'ndjson' || bytes[last - 1] === LF) return true;
  return bytes[last - 1] === CR && bytes[last - 2] === LF && bytes[last - 3] === CR;
}

const LF = 10;
const CR = 13;
