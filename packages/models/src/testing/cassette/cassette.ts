import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assistantMessageSchema, ForgeError, type JsonValue } from '@forge/core';
import * as z from 'zod';
import type { WireErrorKind } from '../../wire/wire-error.ts';

const requestSchema = z.object({
  messages: z.array(z.json()),
  tools: z.array(z.json()),
  toolChoice: z.json(),
});

const replySchema = z.object({
  content: assistantMessageSchema.shape.content,
  finish: z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'other']),
  usage: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cachedInputTokens: z.number().optional(),
      reasoningTokens: z.number().optional(),
    })
    .optional(),
  cost: z.number().optional(),
});

const kinds = {
  auth: 'auth',
  bad_request: 'bad_request',
  context_overflow: 'context_overflow',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
  overloaded: 'overloaded',
  unavailable: 'unavailable',
  timeout: 'timeout',
  bad_response: 'bad_response',
  content_filter: 'content_filter',
} as const satisfies { readonly [K in WireErrorKind]: K };

const errorSchema = z.object({
  /** Only errors of models have one. */
  kind: z.enum(kinds).optional(),
  message: z.string(),
  status: z.number().optional(),
  retryAfter: z.number().optional(),
});

const exchangeSchema = z.union([
  z.object({ request: requestSchema, reply: replySchema }),
  z.object({ request: requestSchema, error: errorSchema }),
]);

const cassetteSchema = z.object({
  v: z.literal(1),
  model: z.string(),
  contextLength: z.number().optional(),
  exchanges: z.array(exchangeSchema),
});

export type CassetteExchange = z.infer<typeof exchangeSchema>;
export type CassetteError = z.infer<typeof errorSchema>;
export type Cassette = z.infer<typeof cassetteSchema>;

export function readCassette(path: string): Cassette {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw unusable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const parsed = cassetteSchema.safeParse(content);
  if (!parsed.success) throw unusable(path, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

/** An exchange as it would be read back, or an error that says what cannot be kept. */
export function toExchange(value: JsonValue): CassetteExchange {
  return exchangeSchema.parse(value);
}

/** A reader sees the cassette as it was or as it will be, never half of it. */
export async function writeCassette(path: string, cassette: Cassette): Promise<void> {
  const half = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(half, `${JSON.stringify(cassette, null, 2)}\n`);
  await rename(half, path);
}

function unusable(path: string, why: string, cause: unknown): ForgeError {
  return new ForgeError(
    'invalid_options',
    `${path} is no cassette that can be replayed: ${why}. Record it again with recordModel().`,
    { cause },
  );
}
