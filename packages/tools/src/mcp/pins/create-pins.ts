import { ForgeError, nearestNames } from '@forge/core';
import { definitionHash, type McpToolDefinition } from '../catalog/mcp-tool-definition.ts';
import type { Stored } from '../stored/stored.ts';
import { type Observation, observeTools } from './observe-tools.ts';
import { pinDiff } from './pin-diff.ts';
import { type Pin, type PinRecords, type PinState, pinState } from './pin-records.ts';

export interface PinInfo {
  readonly server: string;
  readonly tool: string;
  readonly state: PinState;
  readonly hash: string;
  readonly definition: McpToolDefinition;
  readonly seenAt: number;
  readonly approvedAt?: number;
  /** A unified diff, for `changed`. */
  readonly diff?: string;
}

/** What people have agreed to. The part of it that is public is {@link McpPins}. */
export interface Pins extends McpPins {
  /** The pin of a tool, if its server is still what it was. */
  find(server: string, origin: string, tool: string): Pin | undefined;
  /** Every known definition of a server, for when it is not connected. */
  known(server: string, origin: string): McpToolDefinition[];
  observe(observation: Omit<Observation, 'at'>): Promise<void>;
  /**
   * A person approved a call of a tool with this very definition, and by that the definition.
   * True if that was news.
   */
  approveUsed(server: string, definition: McpToolDefinition): Promise<boolean>;
  forget(server: string): Promise<void>;
  /** Reads again what another process may have changed. */
  reload(): Promise<void>;
}

export interface McpPins {
  list(server?: string): PinInfo[];
  /**
   * Agrees to tools as they are now: the one named, or all of the server. With `hash`, only if that
   * is still its definition, so that nobody agrees to what they have not seen.
   */
  approve(server: string, tool?: string, hash?: string): Promise<PinInfo[]>;
  /** What changed since it was agreed to. Empty if nothing did. */
  diff(server: string, tool: string): string;
}

export async function createPins(stored: Stored<PinRecords>, now: () => number): Promise<Pins> {
  let records = await stored.read();
  const update = async (change: (current: PinRecords) => PinRecords) => {
    records = await stored.update(change);
  };
  const pinsOf = (server: string) => records.servers[server]?.tools ?? {};
  const at = (server: string, tool: string): Pin => {
    const pins = pinsOf(server);
    const pin = Object.hasOwn(pins, tool) ? pins[tool] : undefined;
    if (pin !== undefined) return pin;
    const near = nearestNames(tool, Object.keys(pins));
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
    throw new ForgeError(
      'not_found',
      `No tool "${tool}" of MCP server "${server}" is known.${hint}`,
    );
  };
  const change = (server: string, tools: readonly string[], edit: (pin: Pin) => Pin) =>
    update((current) => {
      const pins = current.servers[server];
      if (pins === undefined) return current;
      const edited = { ...pins.tools };
      for (const tool of tools) {
        const pin = edited[tool];
        if (pin !== undefined) edited[tool] = edit(pin);
      }
      return { ...current, servers: { ...current.servers, [server]: { ...pins, tools: edited } } };
    });
  return {
    find(server, origin, tool) {
      const pins = records.servers[server];
      if (pins?.origin !== origin || !Object.hasOwn(pins.tools, tool)) return undefined;
      return pins.tools[tool];
    },
    known(server, origin) {
      const pins = records.servers[server];
      if (pins?.origin !== origin) return [];
      return Object.values(pins.tools).map(
        ({ definition, changed }) => changed?.definition ?? definition,
      );
    },
    async observe(observation) {
      const observed = { ...observation, at: now() };
      // Most lists bring nothing new, and then no file is touched.
      if (observeTools(records, observed) === records) return;
      await update((current) => observeTools(current, observed));
    },
    async approveUsed(server, definition) {
      const hash = definitionHash(definition);
      const pin = pinsOf(server)[definition.name];
      if (pin === undefined || pin.approvedAt !== undefined || pin.hash !== hash) return false;
      await change(server, [definition.name], (current) =>
        current.hash === hash ? { ...current, approvedAt: now() } : current,
      );
      return true;
    },
    async forget(server) {
      await update((current) => {
        const { [server]: _, ...servers } = current.servers;
        return { ...current, servers };
      });
    },
    async reload() {
      records = await stored.read();
    },
    list: (server) =>
      Object.keys(records.servers)
        .filter((name) => server === undefined || name === server)
        .sort()
        .flatMap((name) => Object.values(pinsOf(name)).map((pin) => toInfo(name, pin))),
    async approve(server, tool, hash) {
      const tools = tool === undefined ? Object.keys(pinsOf(server)) : [tool];
      for (const name of tools) {
        const pin = at(server, name);
        if (hash !== undefined && (pin.changed?.hash ?? pin.hash) !== hash) {
          throw new ForgeError(
            'not_allowed',
            `"${name}" changed again since you looked. Look at its diff once more, then approve it.`,
          );
        }
      }
      await change(server, tools, (pin) => agree(pin, now()));
      return tools.map((name) => toInfo(server, at(server, name)));
    },
    diff: (server, tool) => pinDiff(at(server, tool)),
  };
}

function agree({ changed, ...pin }: Pin, at: number): Pin {
  if (changed === undefined) return { ...pin, approvedAt: at };
  const { hash, definition } = changed;
  return { ...pin, hash, definition, approvedAt: at };
}

function toInfo(server: string, pin: Pin): PinInfo {
  const { hash, definition } = pin.changed ?? pin;
  const diff = pinDiff(pin);
  return {
    server,
    tool: definition.name,
    state: pinState(pin),
    hash,
    definition,
    seenAt: pin.seenAt,
    ...(pin.approvedAt !== undefined && { approvedAt: pin.approvedAt }),
    ...(diff !== '' && { diff }),
  };
}
