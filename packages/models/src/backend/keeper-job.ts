import * as z from 'zod';

/** What a keeper is told to do, in a file of the backend's folder. */
export const keeperJobSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  kind: z.enum(['llamaserver', 'llamafile', 'ollama', 'vllm']),
  fingerprint: z.string(),
  folder: z.string(),
  binary: z.string(),
  args: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
  url: z.string(),
  port: z.number(),
  model: z.string().optional(),
  startTimeout: z.number(),
  stopGrace: z.number(),
  logBytes: z.number(),
  restart: z.object({
    attempts: z.number(),
    firstDelay: z.number(),
    maxDelay: z.number(),
    steadyAfter: z.number(),
  }),
});
export type KeeperJob = z.infer<typeof keeperJobSchema>;

export const jobFile = 'job.json';
