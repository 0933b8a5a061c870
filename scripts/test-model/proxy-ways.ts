import type { ModelReply } from '@forge/core';
import { createModel } from '@forge/models';
import { type Attempt, createProxy, type GuardSettings, type ProxyEvent } from '@forge/proxy';
import { askOverHttp, type CallRequest } from './proxy-ask.ts';
import type { TestServer } from './start-test-server.ts';

export interface Asked {
  readonly reply: ModelReply;
  /** The replies it took. */
  readonly attempts: readonly Pick<Attempt, 'rung' | 'problems'>[];
}

/** One way to ask for a call. */
export interface Way {
  ask(request: CallRequest, signal: AbortSignal): Promise<Asked>;
  close(): Promise<void>;
}

/** The ways that are compared, from none of our help to all of it. */
export const ways: ReadonlyMap<string, (server: TestServer) => Promise<Way>> = new Map([
  ['direct', async (server) => direct(server)],
  ['nudges', (server) => throughProxy(server, { constrain: 'off' })],
  ['schema', async (server) => schemaAlone(server)],
  ['ladder', (server) => throughProxy(server, {})],
]);

function direct({ url }: TestServer): Way {
  return {
    ask: async (request, signal) => ({
      reply: await askOverHttp(url, request, signal),
      attempts: [{ rung: 'native', problems: [] }],
    }),
    close: async () => {},
  };
}

/** The shape of a call from the start, and nothing else: no examples, no second try. */
function schemaAlone({ modelName }: TestServer): Way {
  const model = createModel(modelName, { constrain: 'always' });
  return {
    ask: async ({ settings, ...request }, signal) => ({
      reply: await model.complete(request, { signal, overrides: { settings } }),
      attempts: [{ rung: 'constrained', problems: [] }],
    }),
    close: async () => {},
  };
}

async function throughProxy({ url }: TestServer, guard: GuardSettings): Promise<Way> {
  let told = Promise.withResolvers<ProxyEvent>();
  const onEvent = (event: ProxyEvent) => told.resolve(event);
  const proxy = await createProxy({ backend: { url }, port: 0, guard, onEvent });
  return {
    async ask(request, signal) {
      told = Promise.withResolvers();
      const reply = await askOverHttp(proxy.url, request, signal);
      const { attempts } = await told.promise;
      return { reply, attempts };
    },
    close: () => proxy.close(),
  };
}
