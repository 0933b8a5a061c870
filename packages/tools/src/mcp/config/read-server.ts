import { ForgeError } from '@forge/core';
import * as z from 'zod';
import { httpServerSchema, type McpServerConfig, stdioServerSchema } from './mcp-config.ts';
import { serverNameSchema } from './server-name.ts';

/**
 * One server's config from outside. Judged by the kind it looks like, so that a typing error in
 * `headers` is told as that and not as "neither of two shapes".
 */
export function readServer(name: string, input: unknown): McpServerConfig {
  const named = serverNameSchema.safeParse(name);
  if (!named.success) throw invalid(name, named.error);
  const isHttp = typeof input === 'object' && input !== null && 'url' in input;
  const read = (isHttp ? httpServerSchema : stdioServerSchema).safeParse(input);
  if (!read.success) throw invalid(name, read.error);
  return read.data;
}

function invalid(name: string, error: z.ZodError): ForgeError {
  return new ForgeError(
    'invalid_options',
    `MCP server ${JSON.stringify(name)} is not set up right. ${z.prettifyError(error)}\n` +
      'Give either { "command": …, "args": […] } or { "url": "https://…" }.',
  );
}
