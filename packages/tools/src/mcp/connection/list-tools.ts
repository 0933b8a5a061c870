import { canonicalJson, messageOf } from '@forge/core';
import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { type McpToolDefinition, mcpToolSchema } from '../catalog/mcp-tool-definition.ts';

/** The tools of a server, with what was left out of the list and why. */
export interface ToolList {
  readonly tools: readonly McpToolDefinition[];
  readonly notes: readonly string[];
}

const mostPages = 100;
const mostTools = 2_000;
const mostDefinitionCharacters = 64_000;
const mostNotes = 20;

// Lenient on purpose: one tool that cannot be read must not hide the others.
const pageSchema = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});

/**
 * All tools of a server, page by page. A list that does not end, repeats itself or breaks off is
 * used as far as it came, and says so: a shorter list is never taken for the whole.
 */
export async function listTools(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], notes: [] };
  const tools = new Map<string, McpToolDefinition>();
  const notes: string[] = [];
  const note = (text: string) => {
    if (notes.length < mostNotes) notes.push(text);
  };
  const seen = new Set<string>();
  let cursor: string | undefined;
  let missing: string | undefined;
  for (let page = 0; ; page++) {
    let read: z.infer<typeof pageSchema>;
    try {
      const params = cursor === undefined ? {} : { cursor };
      read = await client.request({ method: 'tools/list', params }, pageSchema, options);
    } catch (error) {
      if (page === 0 || options.signal.aborted) throw error;
      missing = `page ${page + 1} could not be read (${messageOf(error)})`;
      break;
    }
    for (const value of read.tools.slice(0, mostTools - tools.size)) {
      const tool = readTool(value, tools);
      if (typeof tool === 'string') note(tool);
      else tools.set(tool.name, tool);
    }
    cursor = read.nextCursor;
    if (read.tools.length > mostTools || (cursor !== undefined && isAtLimit(page, tools.size))) {
      missing = `only ${tools.size} tools of ${page + 1} pages are used`;
      break;
    }
    if (cursor === undefined) break;
    if (seen.has(cursor)) {
      missing = 'the server sends the same page again and again';
      break;
    }
    seen.add(cursor);
  }
  if (missing !== undefined) notes.unshift(`The list is not whole: ${missing}.`);
  return { tools: [...tools.values()], notes };
}

/** A tool of a list, or why it is left out. */
function readTool(
  value: unknown,
  known: ReadonlyMap<string, McpToolDefinition>,
): McpToolDefinition | string {
  const read = mcpToolSchema.safeParse(value);
  if (!read.success) return `A tool is left out: ${z.prettifyError(read.error)}`;
  const { name } = read.data;
  if (known.has(name)) return `"${name}" is listed twice; the first one is used.`;
  if (isOfReasonableSize(read.data)) return read.data;
  return `"${name}" is left out: its definition is too long or nests too deep.`;
}

const isAtLimit = (page: number, tools: number) => page + 1 >= mostPages || tools >= mostTools;

function isOfReasonableSize(definition: McpToolDefinition): boolean {
  try {
    return canonicalJson(definition).length <= mostDefinitionCharacters;
  } catch {
    return false; // Nested deeper than the stack.
  }
}
