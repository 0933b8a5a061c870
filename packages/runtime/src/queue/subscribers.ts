/** Those in this process who hear wake-ups, each in turn. */
export interface Subscribers {
  readonly size: number;
  add(listener: (runId: string) => void): () => void;
  /** Tells one of them. False if there is none. */
  tell(runId: string): boolean;
  clear(): void;
}

/** `onError` is told of what a listener throws; the others go on. */
export function createSubscribers(onError: (error: unknown) => void): Subscribers {
  const subscriptions: { readonly listener: (runId: string) => void }[] = [];
  let turn = 0;
  return {
    get size() {
      return subscriptions.length;
    },
    add(listener) {
      const subscription = { listener };
      subscriptions.push(subscription);
      return () => {
        const place = subscriptions.indexOf(subscription);
        if (place >= 0) subscriptions.splice(place, 1);
      };
    },
    tell(runId) {
      turn = (turn + 1) % Math.max(1, subscriptions.length);
      const subscription = subscriptions[turn];
      if (subscription === undefined) return false;
      try {
        subscription.listener(runId);
      } catch (error) {
        onError(error);
      }
      return true;
    },
    clear() {
      subscriptions.length = 0;
    },
  };
}
