import type { Tool } from '@forge/core';
import type { Results } from '../../results/index.ts';
import { buildCatalog, type McpToolInfo } from '../catalog/build-catalog.ts';
import { createMcpTool } from '../catalog/create-mcp-tool.ts';
import type { Pins } from '../pins/create-pins.ts';
import type { ServerEntry } from './server-entry.ts';

export interface HubCatalogOptions {
  readonly entries: () => readonly ServerEntry[];
  /** Throws if there is no such server any more. */
  readonly at: (name: string) => ServerEntry;
  readonly pins: Pins;
  readonly results: Results;
  readonly onApproved: () => void;
}

/** The tools of all servers, made when somebody asks and kept until something changes. */
export class HubCatalog {
  readonly #options: HubCatalogOptions;
  #list: McpToolInfo[] | undefined;
  #byName: ReadonlyMap<string, McpToolInfo> | undefined;
  #tools: readonly Tool[] | undefined;

  constructor(options: HubCatalogOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#list = undefined;
    this.#byName = undefined;
    this.#tools = undefined;
  }

  list(): McpToolInfo[] {
    const { entries, pins } = this.#options;
    this.#list ??= buildCatalog(
      entries().map(({ name: server, config, origin, connection }) => ({
        server,
        config,
        // A server that is not connected has the tools it had: calls wait for it, or say why not.
        tools: connection.list?.tools ?? pins.known(server, origin),
        findPin: (tool) => pins.find(server, origin, tool),
      })),
    );
    return this.#list;
  }

  tools(): readonly Tool[] {
    this.#tools ??= this.list()
      .filter(({ state }) => state === 'offered')
      .map((info) => this.#createTool(info));
    return this.#tools;
  }

  #createTool(info: McpToolInfo): Tool {
    const { at, pins, results, onApproved } = this.#options;
    const { server, name, definition } = info;
    return createMcpTool({
      info,
      config: at(server).config,
      connection: () => at(server).connection,
      results,
      current: () => this.#find(name),
      async onUse() {
        if (await pins.approveUsed(server, definition)) onApproved();
      },
    });
  }

  #find(name: string): McpToolInfo | undefined {
    this.#byName ??= new Map(this.list().map((info) => [info.name, info]));
    return this.#byName.get(name);
  }
}
