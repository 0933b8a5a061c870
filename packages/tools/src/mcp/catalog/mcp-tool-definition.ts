import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject, type JsonValue } from '@forge/core';
import * as z from 'zod';

const json = z.custom<JsonValue>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/**
 * A tool as its server describes it, with the fields that change what a model is told or may do.
 * Icons and `_meta` are left out: they change nothing, and would make every hash change.
 */
export const mcpToolSchema = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonObject,
  outputSchema: json.optional(),
  annotations: z
    .object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
});
export type McpToolDefinition = z.infer<typeof mcpToolSchema>;

const hashes = new WeakMap<McpToolDefinition, string>();

/** The same for the same definition, however its fields are ordered. Computed once for an object. */
export function definitionHash(definition: McpToolDefinition): string {
  const known = hashes.get(definition);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(canonicalJson(definition)).digest('hex');
  hashes.set(definition, hash);
  return hash;
}
