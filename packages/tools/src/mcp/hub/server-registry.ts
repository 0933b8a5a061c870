import { messageOf } from '@forge/core';
import type { McpServerConfig } from '../config/mcp-config.ts';
import { readServer } from '../config/read-server.ts';
import type { RawServers } from './edit-servers.ts';
import {
  createEntry,
  type EntryContext,
  isSameConnection,
  type ServerEntry,
} from './server-entry.ts';

export interface RegistryOptions extends EntryContext {
  readonly onChange: (entry: ServerEntry) => void;
  /** Whether a server is to be connected before anybody calls it. */
  readonly isEager: (entry: ServerEntry) => boolean;
}

/** The servers that are set up now, each with its connection. */
export class ServerRegistry {
  readonly #options: RegistryOptions;
  readonly #entries = new Map<string, ServerEntry>();
  /** Settings that could not be read, with why and since when. */
  readonly #broken = new Map<string, { readonly error: string; readonly since: number }>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get entries(): ServerEntry[] {
    return [...this.#entries.values()];
  }

  get broken() {
    return [...this.#broken].map(([name, why]) => ({ name, ...why }));
  }

  get names(): string[] {
    return [...this.#entries.keys(), ...this.#broken.keys()].sort();
  }

  get(name: string): ServerEntry | undefined {
    return this.#entries.get(name);
  }

  /** Makes it so: connects what is new, lets go of what is gone, leaves alone what is the same. */
  apply(servers: RawServers): void {
    for (const name of this.names) if (!Object.hasOwn(servers, name)) this.#remove(name);
    for (const [name, raw] of Object.entries(servers)) this.#set(name, raw);
  }

  async close(): Promise<void> {
    for (const name of this.names) this.#remove(name);
    await Promise.all(this.#closing);
  }

  #set(name: string, raw: unknown): void {
    let config: McpServerConfig;
    try {
      config = readServer(name, raw);
    } catch (error) {
      this.#remove(name);
      this.#broken.set(name, { error: messageOf(error), since: this.#options.now() });
      return;
    }
    this.#broken.delete(name);
    const entry = this.#entries.get(name);
    const wasEnabled = entry?.config.enabled ?? false;
    if (entry !== undefined && isSameConnection(entry.config, config)) {
      if (wasEnabled && !config.enabled) this.#replace(name, config);
      else {
        entry.config = config;
        if (!wasEnabled) this.#start(entry);
      }
    } else this.#replace(name, config);
  }

  #replace(name: string, config: McpServerConfig): void {
    this.#remove(name);
    const entry = createEntry(
      { name, config },
      { ...this.#options, onChange: () => this.#options.onChange(entry) },
    );
    this.#entries.set(name, entry);
    this.#start(entry);
  }

  #start(entry: ServerEntry): void {
    if (entry.config.enabled && this.#options.isEager(entry)) entry.connection.start();
  }

  #remove(name: string): void {
    this.#broken.delete(name);
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    const done = entry.connection.close().finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }
}
