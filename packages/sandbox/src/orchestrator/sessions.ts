import type { Container } from './containers.ts';

type Listener = (ended: Container) => void;

interface Session {
  readonly listeners: Set<Listener>;
  /** When the last `Attach` of it ended. */
  detachedAt: number | undefined;
}

type Owner = Pick<Container, 'client' | 'session'>;

/** Which programs hold a connection open, and so want to keep their containers. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** Gives the end of it. */
  attach(owner: Owner, listener: Listener, now: () => number): () => void {
    const key = keyOf(owner);
    const session = this.#sessions.get(key) ?? { listeners: new Set(), detachedAt: undefined };
    this.#sessions.set(key, session);
    session.listeners.add(listener);
    return () => {
      session.listeners.delete(listener);
      session.detachedAt = now();
    };
  }

  isAttached(owner: Owner): boolean {
    return (this.#sessions.get(keyOf(owner))?.listeners.size ?? 0) > 0;
  }

  /** Undefined for one that never was attached. */
  detachedAt(owner: Owner): number | undefined {
    return this.#sessions.get(keyOf(owner))?.detachedAt;
  }

  tell(container: Container): void {
    for (const listener of this.#sessions.get(keyOf(container))?.listeners ?? []) {
      listener(container);
    }
  }

  /** Lets go of sessions that are over and own nothing. */
  forget(containers: readonly Container[]): void {
    const owners = new Set(containers.map(keyOf));
    for (const [key, { listeners }] of this.#sessions) {
      if (listeners.size === 0 && !owners.has(key)) this.#sessions.delete(key);
    }
  }
}

function keyOf({ client, session }: Owner): string {
  return JSON.stringify([client, session ?? '']);
}
