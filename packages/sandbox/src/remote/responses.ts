import { z } from 'zod';
import { commandEndSchema } from '../orchestrator/command-end.ts';
import type { SandboxState } from '../sandbox.ts';

/** What the server answers, as it has to be: it may be of another make or version. */

const bytes = z.instanceof(Uint8Array);

export const emptySchema = z.object({});

export const createdSchema = z.object({
  containerId: z.string().min(1),
  workspace: z.string().min(1),
  limits: z.object({
    cpus: z.number(),
    memoryBytes: z.number(),
    pids: z.number(),
    diskBytes: z.number(),
    outputBytes: z.number(),
    timeMs: z.number(),
    lifetimeMs: z.number(),
    commands: z.number(),
  }),
});

export const commandEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('stdout'), stdout: bytes }),
  z.object({ event: z.literal('stderr'), stderr: bytes }),
  z.object({ event: z.literal('end'), end: commandEndSchema }),
]);

const states = {
  RUNNING: 'running',
  STOPPED: 'stopped',
  FAILED: 'failed',
  UNKNOWN: 'failed',
} as const satisfies Record<string, SandboxState>;

export const statusSchema = z
  .object({
    containerId: z.string(),
    state: z.enum(['RUNNING', 'STOPPED', 'FAILED', 'UNKNOWN']),
    startedAt: z.number(),
    labels: z.record(z.string(), z.string()).default({}),
  })
  .transform(({ containerId, state, startedAt, labels }) => ({
    ...{ id: containerId, startedAt, labels },
    state: states[state],
  }));

export const attachEventSchema = z.object({ ended: statusSchema.nullable() });
export const listSchema = z.object({ containers: z.array(statusSchema) });
export const reapedSchema = z.object({ removed: z.array(z.string()) });
export const killedSchema = z.object({ found: z.boolean() });
export const fileChunkSchema = z.object({ size: z.number(), bytes });
export const tarChunkSchema = z.object({ bytes });

export const backendSchema = z.object({
  name: z.string(),
  available: z.boolean(),
  version: z.string(),
  cannot: z.array(z.string()),
  problem: z.string(),
  fix: z.string(),
});

export const usageSchema = z.object({
  cpuMs: z.number().optional(),
  memoryBytes: z.number().optional(),
  pids: z.number().optional(),
  diskBytes: z.number().optional(),
  networkReceivedBytes: z.number().optional(),
  networkSentBytes: z.number().optional(),
});
