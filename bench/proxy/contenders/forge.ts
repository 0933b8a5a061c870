import type { Role } from '../child.ts';
import type { Contender } from '../middle.ts';
import { startNodeServer } from './node-server.ts';

/** Our own proxy with its guardrails on, as `forge proxy` starts it. */
export function forge(name: string, args: readonly string[] = [], role?: Role): Contender {
  return {
    name,
    start: ({ backendPort }) =>
      startNodeServer({
        file: new URL('forge-server.ts', import.meta.url),
        args: [`http://127.0.0.1:${backendPort}`, ...args],
        ...(role === undefined ? {} : { role }),
      }),
  };
}
