import { ForgeError } from '@forge/core';
import type { FetchLike } from '@modelcontextprotocol/client';
import { followWithin } from './follow-within.ts';

export interface BoundedFetchOptions {
  /** The server's own address. */
  readonly url: string;
  /** Sent to the server's own origin only, never to where it points for a login. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mostMessageBytes: number;
  readonly fetch?: FetchLike;
}

/**
 * The `fetch` of one server: adds its headers, follows redirects within the origin that was asked,
 * and bounds what comes back. A whole body may have
 * that many bytes; a stream of events may go on for ever, but no one event may be longer.
 */
export function createBoundedFetch({
  url,
  headers,
  mostMessageBytes,
  fetch: send = fetch,
}: BoundedFetchOptions): FetchLike {
  const { origin } = new URL(url);
  return async (target, init) => {
    const response = await followWithin(send, target, {
      ...init,
      headers:
        new URL(target).origin === origin ? withHeaders(init?.headers, headers) : init?.headers,
    });
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const body = response.body.pipeThrough(
      isStream ? eventLimit(mostMessageBytes) : bodyLimit(mostMessageBytes),
    );
    const { status, statusText } = response;
    return new Response(body, { status, statusText, headers: response.headers });
  };
}

/** What the protocol itself sets (a session, a token) wins. */
function withHeaders(
  own: RequestInit['headers'],
  added: Readonly<Record<string, string>>,
): Headers {
  const all = new Headers(added);
  new Headers(own).forEach((value, name) => {
    all.set(name, value);
  });
  return all;
}

function bodyLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length;
      if (seen > most) throw tooLarge(most);
      controller.enqueue(chunk);
    },
  });
}

const newline = 0x0a;

/** An event ends with an empty line. */
function eventLimit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let eventBytes = 0;
  let lineBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        lineBytes += end - from;
        // One byte may be the carriage return of a line that is empty all the same.
        eventBytes = lineBytes <= 1 ? 0 : eventBytes + lineBytes;
        lineBytes = 0;
        from = end + 1;
        if (eventBytes > most) throw tooLarge(most);
      }
      lineBytes += chunk.length - from;
      if (eventBytes + lineBytes > most) throw tooLarge(most);
      controller.enqueue(chunk);
    },
  });
}

function tooLarge(most: number): ForgeError {
  return new ForgeError('too_large', `The server sent a message of more than ${most} bytes.`);
}
