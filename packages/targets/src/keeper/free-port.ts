import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TargetProblem } from '../target.ts';

/** A port nobody listens on right now. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host, port: 0, exclusive: true });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  } finally {
    server.close();
  }
}

/** Why a port cannot be listened on: `EADDRINUSE`, `EACCES`. Undefined if it can. */
export async function portProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    server.close();
  }
}

/** For a person, and what to do about it. */
export function describePortProblem(
  { host, port }: { readonly host: string; readonly port: number },
  code: string,
): TargetProblem {
  const why =
    code === 'EADDRINUSE'
      ? 'is taken by another program'
      : code === 'EACCES'
        ? 'may not be used by this user'
        : `cannot be listened on (${code})`;
  return {
    problem: `Port ${port} on ${host} ${why}.`,
    fix: 'Stop what uses it, or set deploy.config.port to another one (0 takes a free one).',
  };
}
