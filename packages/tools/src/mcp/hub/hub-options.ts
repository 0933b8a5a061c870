import type { Results } from '../../results/index.ts';
import type { ReadVariable } from '../config/resolve-references.ts';
import type { ServerPorts } from '../connection/ports.ts';
import type { ReconnectPolicy } from '../connection/reconnect-delay.ts';
import type { McpPlaces } from '../mcp-files.ts';

export interface McpHubOptions extends ServerPorts {
  /** What outlives the hub: `mcpFiles(folder)`. */
  readonly places: McpPlaces;
  /**
   * Servers of the project's own configuration (`forge.yaml`). What people change at run time is
   * kept in `places.config` and laid over these.
   */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Fills in `${env:NAME}`, and gives servers their PATH and HOME. */
  readonly readVariable: ReadVariable;
  /** Cuts, keeps and marks what servers answer. Default: in memory. */
  readonly results?: Results;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  readonly reconnect?: Partial<ReconnectPolicy>;
  /** Connects to nothing by itself, only to what is called or tested: for the command line. */
  readonly passive?: boolean;
  readonly now?: () => number;
  readonly random?: () => number;
}
