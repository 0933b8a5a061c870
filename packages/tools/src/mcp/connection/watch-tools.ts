import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { listTools, type ToolList } from './list-tools.ts';

export interface WatchToolsOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly onList: (list: ToolList) => void;
}

/** News within this time make one list. */
const settleMs = 50;
const listenAgainAfter = 5_000;

/** Lists the tools again whenever the server says that they changed, until the signal aborts. */
export function watchTools({ client, signal, timeout, onList }: WatchToolsOptions): void {
  let listing = false;
  let stale = false;
  const relist = async () => {
    stale = true;
    if (listing) return;
    listing = true;
    try {
      while (stale && !signal.aborted) {
        await sleep(settleMs, undefined, { signal, ref: false });
        stale = false;
        const list = await listTools(client, { signal, timeout });
        if (!signal.aborted) onList(list);
      }
    } catch {
      // The old list stays: a server that cannot list its tools now may still carry them out, and
      // one that is gone is noticed by whoever keeps the connection.
    } finally {
      listing = false;
    }
  };
  client.setNotificationHandler('notifications/tools/list_changed', relist);
  if (client.getProtocolEra() !== 'modern') return;
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  void listen({ client, signal, timeout, relist });
}

/** The newest revision tells of changes on a stream that has to be asked for, again when it breaks. */
async function listen({
  client,
  signal,
  timeout,
  relist,
}: {
  client: Client;
  signal: AbortSignal;
  timeout: number;
  relist: () => Promise<void>;
}): Promise<void> {
  while (!signal.aborted) {
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal, timeout });
      void relist(); // For what changed while nobody listened.
      await subscription.closed;
    } catch {
      // Refused or broken: asked for again below.
    }
    await sleep(listenAgainAfter, undefined, { signal, ref: false }).catch(() => {});
  }
}
