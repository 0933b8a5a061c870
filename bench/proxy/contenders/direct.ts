import type { Contender } from '../middle.ts';

/** Nothing in the middle: what the load generator and the backend cost by themselves. */
export const direct: Contender = {
  name: 'direct',
  start: async ({ backendPort }) => ({
    port: backendPort,
    headers: {},
    usage: undefined,
    stop: async () => {},
  }),
};
