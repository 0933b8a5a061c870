import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type News, newsSchema, type Order, type WorkerStart } from './worker-orders.ts';

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  /** The signal that ended it, or null. */
  readonly exited: Promise<NodeJS.Signals | null>;
  /** Resolves with the first news of that type, past or to come. Rejects if it ends without. */
  first<Type extends News['type']>(type: Type): Promise<Extract<News, { type: Type }>>;
  order(order: Order): void;
  signal(signal: NodeJS.Signals): void;
}

/** Starts a worker process. It ends with this one. */
export function startWorker(
  start: WorkerStart,
  onNews: (news: News, pid: number) => void = () => {},
): WorkerProcess {
  const child = fork(program, [JSON.stringify(start)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const pid = child.pid ?? 0;
  const told: News[] = [];
  const listeners = new Set<(news: News) => void>();
  child.on('message', (message) => {
    const news = newsSchema.parse(message);
    told.push(news);
    for (const listener of listeners) listener(news);
    onNews(news, pid);
  });
  const exited = exitOf(child);
  const first: WorkerProcess['first'] = (type) =>
    new Promise((resolve, reject) => {
      const listen = (news: News) => {
        if (news.type !== type) return;
        listeners.delete(listen);
        resolve(news as Extract<News, { type: typeof type }>);
      };
      void exited.then((signal) =>
        reject(new Error(`The worker ended (${signal}) without "${type}".`)),
      );
      listeners.add(listen);
      for (const news of told) listen(news);
    });
  const ready = first('ready').then(() => {});
  ready.catch(() => {}); // Who waits for it is told.
  return {
    pid,
    ready,
    exited,
    first,
    order: (order) => void (child.connected && child.send(order)),
    signal: (signal) => void child.kill(signal),
  };
}

function exitOf(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)));
}
