import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WireError } from '@forge/models';

/** What is wrong with a caller's key, or nothing. */
export type KeyCheck = (caller: {
  readonly headers: IncomingHttpHeaders;
  /** The query; Gemini's clients may say their key there. */
  readonly search: string;
}) => WireError | undefined;

/** To be sent with the refusal, so that clients know what is asked of them. */
export const keyWanted: readonly string[] = ['www-authenticate', 'Bearer'];

const missing: WireError = {
  kind: 'auth',
  status: 401,
  message:
    'This proxy wants a key. Send it as "Authorization: Bearer <key>" or as "x-api-key: <key>".',
};

const wrong: WireError = {
  kind: 'auth',
  status: 401,
  message: 'The key is not the one of this proxy. Use the one it was started with (--api-key).',
};

/**
 * Checks that a caller has the proxy's key in one of the places clients put theirs. Keys are
 * compared by their hashes, so the time taken says nothing about the key. Without a key everyone
 * may come in.
 */
export function createKeyCheck(apiKey: string | undefined): KeyCheck {
  if (apiKey === undefined) return () => undefined;
  const expected = digest(apiKey);
  return ({ headers, search }) => {
    const keys = keysOf(headers, search);
    if (keys.length === 0) return missing;
    let isRight = false;
    for (const key of keys) if (timingSafeEqual(digest(key), expected)) isRight = true;
    return isRight ? undefined : wrong;
  };
}

function keysOf(headers: IncomingHttpHeaders, search: string): readonly string[] {
  const keys: string[] = [];
  const bearer = bearerOf(headers.authorization);
  if (bearer !== undefined) keys.push(bearer);
  for (const name of keyHeaders) {
    const key = headers[name];
    if (typeof key === 'string') keys.push(key.trim());
  }
  if (search.includes('key=')) {
    const key = new URLSearchParams(search).get('key');
    if (key !== null) keys.push(key);
  }
  return keys;
}

/** Headers that are a key and nothing else: Anthropic's, Azure's and Google's. */
export const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** The token of an `Authorization` header of that kind. */
export function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^bearer\s+/i.exec(authorization);
  return token === null ? undefined : authorization.slice(token[0].length).trim();
}

function digest(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
