import type { TestContext } from 'node:test';
import type { Wire } from '@forge/models';
import { type ScriptedServer, type ServerLine, startScriptedServer } from '@forge/models/testing';
import { createProxy, type ProxyEvent, type ProxyOptions } from '../../src/index.ts';
import { until } from './until.ts';

export interface Guarded {
  /** Of the proxy, without a version. */
  readonly url: string;
  readonly backend: ScriptedServer;
  readonly events: readonly ProxyEvent[];
  /** Resolves with the events once that many requests are over. */
  untilOver(count: number): Promise<readonly ProxyEvent[]>;
}

/** A scripted backend of any wire with a real proxy before it, both closed after the test. */
export async function startGuarded(
  t: TestContext,
  {
    wire,
    script,
    ...options
  }: { readonly wire: Wire['name']; readonly script: readonly ServerLine[] } & Omit<
    ProxyOptions,
    'backend' | 'port' | 'onEvent'
  >,
): Promise<Guarded> {
  const backend = await startScriptedServer({ wire, script });
  t.after(() => backend.close());
  const events: ProxyEvent[] = [];
  const told = until();
  const proxy = await createProxy({
    ...options,
    backend: { url: backend.url, wire },
    port: 0,
    onEvent(event) {
      events.push(event);
      told.look();
    },
  });
  t.after(() => proxy.close());
  return {
    url: proxy.url,
    backend,
    events,
    async untilOver(count) {
      await told.holds(() => events.length >= count);
      return events;
    },
  };
}
