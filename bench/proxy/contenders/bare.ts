import type { Contender } from '../middle.ts';
import { startNodeServer } from './node-server.ts';

/** A pass-through on node:http and undici; see `bare-server.ts`. The measure of all others. */
export const bare: Contender = {
  name: 'bare pass-through',
  start: ({ backendPort }) =>
    startNodeServer({
      file: new URL('bare-server.ts', import.meta.url),
      args: [`http://127.0.0.1:${backendPort}`],
    }),
};
