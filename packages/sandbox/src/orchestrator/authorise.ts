import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, status } from '@grpc/grpc-js';
import type { Caller } from './containers.ts';
import { StatusError } from './status.ts';

/** Tokens by the names of those who hold them. */
export type Tokens = Readonly<Record<string, string>>;

/** Says who calls. Without tokens everybody may, and is known by the address. */
export function createAuthoriser(
  tokens: Tokens | undefined,
): (call: { readonly metadata: Metadata; getPeer(): string }) => Caller {
  const known = Object.entries(tokens ?? {}).map(([name, token]) => [name, digest(token)] as const);
  return (call) => {
    const { metadata } = call;
    const session = sessionIn(metadata);
    if (known.length === 0) return { client: hostOf(call.getPeer()), session };
    const given = digest(bearerIn(metadata));
    // Every token is compared, and by digests of one length: the time taken tells nothing.
    const fitting = known.filter(([, token]) => timingSafeEqual(token, given));
    const [client] = fitting[0] ?? [];
    if (client !== undefined) return { client, session };
    throw new StatusError(
      status.UNAUTHENTICATED,
      'No token of this orchestrator. Send one in the metadata: authorization: Bearer TOKEN.',
    );
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function bearerIn(metadata: Metadata): string {
  const [value = ''] = metadata.get('authorization');
  return /^Bearer (.+)$/i.exec(String(value))?.[1] ?? '';
}

function sessionIn(metadata: Metadata): string | undefined {
  const [value = ''] = metadata.get('forge-session');
  const session = String(value);
  return /^[A-Za-z0-9-]{8,64}$/.test(session) ? session : undefined;
}

/** `127.0.0.1:5000` and `[::1]:5000` without the port, which changes with every connection. */
function hostOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
