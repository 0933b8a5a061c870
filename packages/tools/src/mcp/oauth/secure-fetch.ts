import { ForgeError } from '@forge/core';
import type { FetchLike } from '@modelcontextprotocol/client';

const longest = 30_000;

/**
 * A `fetch` for finding and asking the authorization server a server points to: encrypted, on this
 * machine, or the server itself. Else a server could have us knock on doors of our own network.
 */
export function secureFetch(send: FetchLike, serverUrl: string): FetchLike {
  const own = new URL(serverUrl).origin;
  return (target, init) => {
    const { protocol, hostname, origin } = new URL(target);
    if (protocol === 'https:' || origin === own || isLoopback(hostname)) {
      const late = AbortSignal.timeout(longest);
      const given = init?.signal;
      return send(target, { ...init, signal: given ? AbortSignal.any([given, late]) : late });
    }
    throw new ForgeError(
      'not_allowed',
      `The server names ${origin} for logins, which is not encrypted. Only https is used for that.`,
    );
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}
