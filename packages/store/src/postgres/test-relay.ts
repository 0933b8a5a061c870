import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What becomes of a request that is waited for. */
export type Mishap =
  /** The server does not get it, and the client loses its connection. */
  | 'cut-before'
  /** The server carries it out; the answer and the connection are lost. */
  | 'cut-after'
  /** The client loses its connection; the server gets it when `letGo` is called. */
  | 'hold'
  /** The server gets it when `letGo` is called, and nobody loses anything. */
  | 'delay';

export interface TestRelay {
  /** Address of the database by way of the relay. */
  readonly url: string;
  /** Does this to the next request that has these words in it. Resolves when it has. */
  next(words: string, mishap: Mishap): Promise<{ letGo(): void }>;
  /** Resolves when a request with these words goes by, which it does unharmed. */
  seen(words: string): Promise<void>;
  /** Waits for no request any more. */
  forget(): void;
  close(): Promise<void>;
}

interface Watch {
  readonly words: string;
  readonly mishap: Mishap | 'seen';
  readonly done: (held: { letGo(): void }) => void;
}

/** Stands between a client and a server, and breaks connections at a chosen request. */
export async function startRelay(databaseUrl: string): Promise<TestRelay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const watches = new Set<Watch>();
  const take = (chunk: Buffer): Watch | undefined => {
    const text = chunk.toString('latin1');
    const found = [...watches].filter(({ words }) => text.includes(words));
    for (const watch of found) watches.delete(watch);
    for (const watch of found) if (watch.mishap === 'seen') watch.done({ letGo: () => {} });
    return found.find(({ mishap }) => mishap !== 'seen');
  };

  const relay = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) });
    let losing: Watch | undefined;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    let held = false;
    client.on('data', (chunk) => {
      const watch = take(chunk);
      if (watch?.mishap === 'cut-before') {
        client.destroy();
        server.destroy();
        watch.done({ letGo: () => {} });
      } else if (watch?.mishap === 'hold') {
        held = true;
        client.destroy();
        watch.done({ letGo: () => server.write(chunk) });
      } else if (watch?.mishap === 'delay') {
        watch.done({ letGo: () => server.write(chunk) });
      } else {
        losing = watch ?? losing;
        server.write(chunk);
      }
    });
    server.on('data', (chunk) => {
      if (losing === undefined) {
        if (!client.destroyed) client.write(chunk);
        return;
      }
      client.destroy();
      server.destroy();
      losing.done({ letGo: () => {} });
    });
    client.on('close', () => {
      if (!held) server.destroy();
    });
    server.on('close', () => client.destroy());
  });
  relay.listen({ host: '127.0.0.1', port: 0 });
  await once(relay, 'listening');
  const address = relay.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');

  const watch = (words: string, mishap: Watch['mishap']) =>
    new Promise<{ letGo(): void }>((done) => watches.add({ words, mishap, done }));
  return {
    url: url.href,
    next: watch,
    seen: async (words) => void (await watch(words, 'seen')),
    forget: () => watches.clear(),
    async close() {
      const closed = once(relay, 'close');
      relay.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
