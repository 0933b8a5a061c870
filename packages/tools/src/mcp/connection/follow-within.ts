import { ForgeError } from '@forge/core';
import type { FetchLike } from '@modelcontextprotocol/client';

const mostRedirects = 5;
const bodyHeaders = ['content-type', 'content-length', 'content-encoding', 'content-language'];

/**
 * Sends a request and follows where it is sent on to, as `fetch` does, but only within the origin it
 * was meant for: what it carries (keys, sessions, arguments) is for nobody else. `not_allowed` if it
 * is to go elsewhere.
 */
export async function followWithin(
  send: FetchLike,
  target: string | URL,
  init: RequestInit,
): Promise<Response> {
  let request: RequestInit = { ...init, redirect: 'manual' };
  let at = new URL(target);
  for (let count = 0; count <= mostRedirects; count++) {
    const response = await send(at, request);
    const location = response.headers.get('location');
    if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return response;
    await response.body?.cancel();
    at = nextWithin(at, location);
    request = nextRequest(request, response.status);
  }
  throw new ForgeError(
    'not_allowed',
    `The server at ${at.origin} sent the request on more than ${mostRedirects} times. Check its url.`,
  );
}

function nextWithin(from: URL, location: string): URL {
  const next = URL.parse(location, from.href);
  if (next === null) {
    throw new ForgeError(
      'not_allowed',
      `The server at ${from.origin} sends the request on to what is no address. Check its url.`,
    );
  }
  if (next.origin === from.origin) return next;
  throw new ForgeError(
    'not_allowed',
    `The server at ${from.origin} sends the request on to ${next.origin.slice(0, 200)}, which is not followed: its headers are for its own origin. If the server is there now, change its url.`,
  );
}

/** A 303, and by custom a 301 or 302 after a POST, asks for a GET; the others for the same again. */
function nextRequest(request: RequestInit, status: number): RequestInit {
  const method = request.method?.toUpperCase() ?? 'GET';
  const asksToGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    (status < 303 && method === 'POST');
  if (asksToGet) {
    const { body: _, ...rest } = request;
    const headers = new Headers(request.headers);
    for (const name of bodyHeaders) headers.delete(name);
    return { ...rest, method: 'GET', headers };
  }
  if (request.body instanceof ReadableStream) {
    throw new ForgeError(
      'not_allowed',
      'The server sends a streamed request on, which cannot be sent twice. Check its url.',
    );
  }
  return request;
}
