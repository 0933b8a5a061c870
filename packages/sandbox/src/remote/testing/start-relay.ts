import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly address: string;
  /** Breaks all connections and takes no more. */
  cut(): void;
  /** Takes connections again, to the same server or another. */
  mend(to?: string): void;
  close(): Promise<void>;
}

/** A network between a client and a server that can be cut. */
export async function startRelay(to: string): Promise<Relay> {
  let target = to;
  let isCut = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) {
      near.destroy();
      return;
    }
    const [host = '', port = ''] = target.split(':');
    const far = connect(Number(port), host);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the relay has no port');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${bound.port}`,
    cut() {
      isCut = true;
      breakAll();
    },
    mend(next = target) {
      target = next;
      isCut = false;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
