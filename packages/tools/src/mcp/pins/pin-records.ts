import * as z from 'zod';
import { mcpToolSchema } from '../catalog/mcp-tool-definition.ts';

const pinSchema = z.object({
  /** The definition that was seen first, or approved last. */
  hash: z.string(),
  definition: mcpToolSchema,
  seenAt: z.number(),
  /** When a person agreed to it. */
  approvedAt: z.number().optional(),
  /** What the server says now, if that is something else. Nobody has agreed to it. */
  changed: z.object({ hash: z.string(), definition: mcpToolSchema, at: z.number() }).optional(),
});
export type Pin = z.infer<typeof pinSchema>;

const serverPinsSchema = z.object({
  /** What the server was: another command or address under the same name starts from nothing. */
  origin: z.string(),
  tools: z.record(z.string(), pinSchema),
});
export type ServerPins = z.infer<typeof serverPinsSchema>;

/** The definitions of tools that were seen and approved, by server and by the server's own names. */
export const pinRecordsSchema = z.object({
  v: z.literal(1),
  servers: z.record(z.string(), serverPinsSchema),
});
export type PinRecords = z.infer<typeof pinRecordsSchema>;

export const noPins: PinRecords = { v: 1, servers: {} };

/**
 * - `new`: nobody has agreed to it yet.
 * - `approved`: as it was when a person agreed.
 * - `changed`: not as it was first seen or approved. Blocked until a person has looked.
 */
export type PinState = 'new' | 'approved' | 'changed';

export function pinState({ approvedAt, changed }: Pin): PinState {
  if (changed !== undefined) return 'changed';
  return approvedAt === undefined ? 'new' : 'approved';
}
