import { z } from 'zod';

/** What arrives, as it has to be. proto-loader fills in defaults; nothing else is taken on trust. */

const text = z.string();
const bytes = z.instanceof(Uint8Array);
const map = z.record(z.string(), z.string()).default({});
const count = z.number().nonnegative();
const containerId = text.min(1, 'container_id is missing');

const limitsSchema = z.object({
  cpus: z.number().optional(),
  memoryBytes: z.number().optional(),
  pids: z.number().optional(),
  diskBytes: z.number().optional(),
  outputBytes: z.number().optional(),
  timeMs: z.number().optional(),
  lifetimeMs: z.number().optional(),
  commands: z.number().optional(),
});

export const createSchema = z.object({
  containerId: text.regex(
    /^(?:[a-z0-9][a-z0-9-]{0,63})?$/,
    'container_id takes up to 64 lower-case letters, digits and dashes',
  ),
  image: text.max(500),
  limits: limitsSchema.nullable(),
  network: z
    .object({ type: z.enum(['NONE', 'ALLOW', 'FULL']), hosts: z.array(text).max(1000) })
    .nullable(),
  env: map,
  labels: map,
  caches: z.array(text.max(100)).max(20),
});
export type CreateRequest = z.infer<typeof createSchema>;

export const commandSchema = z.object({
  containerId,
  argv: z.array(text).min(1, 'argv is empty'),
  cwd: text,
  env: map,
  stdin: bytes,
  timeoutMs: z.number().nonnegative(),
  commandId: text.max(100),
});

export const destroySchema = z.object({ containerId, graceMs: count });
export const containerSchema = z.object({ containerId });
export const killSchema = z.object({ containerId, commandId: text.min(1).max(100) });
export const readFileSchema = z.object({
  containerId,
  path: text,
  offset: count,
  limit: count.optional(),
});
export const copyOutSchema = z.object({ containerId, path: text });
export const emptySchema = z.object({});

export const writeFileSchema = z.discriminatedUnion('part', [
  z.object({
    part: z.literal('target'),
    target: z.object({
      containerId,
      path: text,
      mode: z.number().int().min(0).max(0o7777).optional(),
    }),
  }),
  z.object({ part: z.literal('bytes'), bytes }),
]);

export const copyInSchema = z.discriminatedUnion('part', [
  z.object({ part: z.literal('target'), target: z.object({ containerId, folder: text }) }),
  z.object({ part: z.literal('bytes'), bytes }),
]);

export const buildSchema = z.discriminatedUnion('part', [
  z.object({
    part: z.literal('options'),
    options: z.object({
      tag: text.min(1).max(500),
      dockerfile: text.max(500),
      buildArgs: map,
      network: z.boolean(),
    }),
  }),
  z.object({ part: z.literal('context'), context: bytes }),
]);

export const pushSchema = z.object({ tag: text.min(1).max(500), username: text, password: text });
