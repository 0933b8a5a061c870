export type { McpToolInfo, McpToolState } from './catalog/build-catalog.ts';
export type { McpToolDefinition } from './catalog/mcp-tool-definition.ts';
export { toolName as mcpToolName } from './catalog/tool-name.ts';
export {
  type McpServerConfig,
  type McpServerInput,
  type McpServers,
  mcpServerSchema,
  mcpServersSchema,
} from './config/mcp-config.ts';
export type { ReadVariable } from './config/resolve-references.ts';
export type { AskHuman, HumanAnswer, HumanRequest, Root, Sample } from './connection/ports.ts';
export type { ReconnectPolicy } from './connection/reconnect-delay.ts';
export { createMcpHub } from './hub/create-mcp-hub.ts';
export type { McpHubOptions } from './hub/hub-options.ts';
export type { McpHub, McpTestReport } from './hub/mcp-hub.ts';
export type { McpServerStatus } from './hub/server-entry.ts';
export {
  type McpConfigFile,
  type McpConfigStore,
  type McpPinStore,
  type McpPlaces,
  type McpTokenStore,
  mcpFiles,
} from './mcp-files.ts';
export type { LoginOptions } from './oauth/create-authorizer.ts';
export type { McpPins, PinInfo } from './pins/create-pins.ts';
export type { PinRecords, PinState } from './pins/pin-records.ts';
export { searchToolsAbove } from './search/search-tools.ts';
export { fileStored } from './stored/file-stored.ts';
export { memoryStored } from './stored/memory-stored.ts';
export type { Stored } from './stored/stored.ts';
