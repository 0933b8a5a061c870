import { ForgeError, untilAborted } from '@forge/core';
import { createResults } from '../../results/index.ts';
import { readServer } from '../config/read-server.ts';
import { defaultReconnect } from '../connection/reconnect-delay.ts';
import { createPins } from '../pins/create-pins.ts';
import { openLedger } from '../processes/process-ledger.ts';
import { createBackground } from './background.ts';
import { overlay, unknownServer } from './edit-servers.ts';
import { HubCatalog } from './hub-catalog.ts';
import type { McpHubOptions } from './hub-options.ts';
import { listServers } from './list-servers.ts';
import type { McpHub } from './mcp-hub.ts';
import { createServerEdits } from './server-edits.ts';
import { createEntry, type EntryContext, type ServerEntry } from './server-entry.ts';
import { ServerRegistry } from './server-registry.ts';
import { testServer } from './test-server.ts';

/**
 * Opens a hub: reads the settings and begins to connect, without waiting for any server. Throws
 * `invalid_options` if the files cannot be read; what is wrong with a single server is its state.
 *
 * @example
 * const hub = await createMcpHub({ places: mcpFiles('.forge'), readVariable });
 * await hub.ready(signal);
 * const agent = defineAgent({ tools: [...hub.tools()] });
 */
export async function createMcpHub(options: McpHubOptions): Promise<McpHub> {
  const { places, servers: fixed = {}, passive = false, now = Date.now } = options;
  const { results = createResults() } = options;
  const pins = await createPins(places.pins, now);
  // Settings that cannot be read are told before anything is started.
  await places.config.read();
  const ledger = await openLedger(places.processFolder);
  const listeners = new Set<() => void>();
  let isClosed = false;

  const changed = () => {
    catalog.forget();
    for (const listener of listeners) listener();
  };
  const background = createBackground(changed);
  const context: EntryContext = {
    ports: options,
    readVariable: options.readVariable,
    ledger,
    tokens: places.tokens,
    clientInfo: options.clientInfo ?? { name: 'forge', version: '0.1.0' },
    reconnect: { ...defaultReconnect, ...options.reconnect },
    now,
    random: options.random ?? Math.random,
  };
  /** The list of each connection that was put on record last. */
  const recorded = new WeakMap<ServerEntry, unknown>();
  const registry = new ServerRegistry({
    ...context,
    isEager: ({ name, config, origin }) =>
      !passive && !(config.lazy && pins.known(name, origin).length > 0),
    onChange(entry) {
      const { name: server, origin, connection } = entry;
      const { list } = connection;
      if (list !== undefined && recorded.get(entry) !== list) {
        recorded.set(entry, list);
        background.run(() => pins.observe({ server, origin, tools: list.tools }));
      }
      changed();
    },
  });
  const at = (name: string): ServerEntry => {
    const entry = registry.get(name);
    if (entry !== undefined) return entry;
    const broken = registry.broken.find((server) => server.name === name);
    throw broken === undefined
      ? unknownServer(name, registry.names)
      : new ForgeError('invalid_options', broken.error);
  };
  const entries = () => registry.entries;
  const catalog = new HubCatalog({ entries, at, pins, results, onApproved: changed });
  const reload = async () => {
    const { mcpServers } = await places.config.read();
    if (isClosed) return;
    registry.apply(overlay(fixed, mcpServers));
    changed();
  };
  await reload();
  const unwatch = [
    places.config.watch(() => background.run(reload)),
    places.pins.watch(() => background.run(() => pins.reload())),
  ];

  return {
    ...createServerEdits({ config: places.config, fixed, registry, pins, at, reload }),
    pins: {
      list: pins.list,
      diff: pins.diff,
      async approve(...wanted) {
        const approved = await pins.approve(...wanted);
        changed();
        return approved;
      },
    },
    toolList: () => catalog.list(),
    tools: () => catalog.tools(),
    servers: () => listServers(registry, { tools: catalog.list(), trouble: background.trouble }),
    async ready(signal) {
      const connecting = entries().filter(
        ({ connection }) => connection.status.state === 'connecting',
      );
      const settled = connecting.map(({ connection }) => connection.ready(signal).catch(() => {}));
      await Promise.all(settled);
      signal.throwIfAborted();
      await untilAborted(() => background.idle(), signal);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry: (name) => at(name).connection.restart(),
    async test(name, { signal, config: input }) {
      const config = input === undefined ? at(name).config : readServer(name, input);
      const entry = createEntry({ name, config }, { ...context, onChange: () => {} });
      return await testServer(entry, signal);
    },
    log: (name) => at(name).log(),
    async login(name, login) {
      const { authorizer, connection } = at(name);
      if (authorizer === undefined) {
        throw new ForgeError(
          'invalid_options',
          `MCP server "${name}" is a local program; there is nothing to log in to.`,
        );
      }
      await authorizer.login(login);
      await connection.restart();
    },
    async logout(name) {
      const { authorizer, connection } = at(name);
      await authorizer?.logout();
      await connection.restart();
    },
    async close() {
      isClosed = true;
      for (const stop of unwatch) stop();
      await registry.close();
      await background.idle();
      await ledger.close();
      listeners.clear();
    },
  };
}
