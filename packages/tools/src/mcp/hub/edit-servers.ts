import { ForgeError, isJsonObject, nearestNames } from '@forge/core';
import type { McpConfigFile } from '../mcp-files.ts';

/** Servers by name, as written by people: the project's own, and what was changed at run time. */
export type RawServers = Readonly<Record<string, unknown>>;

/**
 * The project's servers with what is stored laid over them, field by field. A whole server of that
 * name stands in its place: the headers of one are never sent to the address of the other.
 */
export function overlay(fixed: RawServers, stored: RawServers): Record<string, unknown> {
  const all: Record<string, unknown> = { ...fixed };
  for (const [name, over] of Object.entries(stored)) {
    const base = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    const isPart = isObject(over) && !('command' in over || 'url' in over);
    all[name] = isPart && isObject(base) ? { ...base, ...over } : over;
  }
  return all;
}

/** The file with some fields of one server set; of a project's server only these are stored. */
export function editServer(
  file: McpConfigFile,
  name: string,
  fields: Readonly<Record<string, unknown>>,
): McpConfigFile {
  const before = file.mcpServers[name];
  const after = { ...(isObject(before) ? before : {}), ...fields };
  return { ...file, mcpServers: { ...file.mcpServers, [name]: after } };
}

export function removeServer(file: McpConfigFile, name: string): McpConfigFile {
  const { [name]: _, ...mcpServers } = file.mcpServers;
  return { ...file, mcpServers };
}

export function unknownServer(name: string, known: readonly string[]): ForgeError {
  const near = nearestNames(name, known);
  const names = near.length > 0 ? near : known.slice(0, 10);
  const hint = names.length > 0 ? ` Known: ${names.join(', ')}.` : ' None is set up yet.';
  return new ForgeError('not_found', `There is no MCP server "${name}".${hint}`);
}

const isObject = (value: unknown): value is Record<string, unknown> => isJsonObject(value);
