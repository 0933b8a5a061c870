import { join } from 'node:path';
import * as z from 'zod';
import { noTokens, type TokenRecords, tokenRecordsSchema } from './oauth/token-records.ts';
import { noPins, type PinRecords, pinRecordsSchema } from './pins/pin-records.ts';
import { fileStored } from './stored/file-stored.ts';
import type { Stored } from './stored/stored.ts';

/** Servers as people write them: each is checked by itself, so that a wrong one harms no other. */
export const mcpConfigFileSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.unknown()).default({}),
});
export type McpConfigFile = z.infer<typeof mcpConfigFileSchema>;

export type McpConfigStore = Stored<McpConfigFile>;
export type McpPinStore = Stored<PinRecords>;
export type McpTokenStore = Stored<TokenRecords>;

/** Where a hub keeps what outlives it. */
export interface McpPlaces {
  readonly config: McpConfigStore;
  readonly pins: McpPinStore;
  readonly tokens: McpTokenStore;
  /** A folder that notes which processes were started, for the next start after a crash. */
  readonly processFolder: string;
}

/**
 * Everything in one folder, readable by its owner only: `mcp.json` for people to edit, the rest for
 * programs.
 */
export function mcpFiles(folder: string): McpPlaces {
  return {
    config: fileStored({
      path: join(folder, 'mcp.json'),
      schema: mcpConfigFileSchema,
      empty: { mcpServers: {} },
    }),
    pins: fileStored({
      path: join(folder, 'mcp-pins.json'),
      schema: pinRecordsSchema,
      empty: noPins,
    }),
    tokens: fileStored({
      path: join(folder, 'mcp-tokens.json'),
      schema: tokenRecordsSchema,
      empty: noTokens,
    }),
    processFolder: join(folder, 'mcp-processes'),
  };
}
