import * as z from 'zod';
import { healthConfigSchema } from '../health/health-check.ts';

const insidePath = z
  .string()
  .min(1)
  .max(1_000)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
    message: 'has to lie in the project',
  });

export const dockerConfigSchema = z.strictObject({
  dockerfile: insidePath.default('Dockerfile').describe('In the context.'),
  context: insidePath.default('.').describe('The folder of the project that is built.'),
  build_args: z.record(z.string().min(1), z.string().max(10_000)).default({}),
  build_timeout_s: z.number().positive().max(86_400).default(1_800),
  builder: z
    .enum(['auto', 'classic', 'buildkit'])
    .default('auto')
    .describe('auto: BuildKit for a Dockerfile that needs it.'),
  container_port: z
    .int()
    .min(1)
    .max(65_535)
    .default(8080)
    .describe('What the service listens on in its container; given to it as PORT.'),
  host: z.string().min(1).max(255).default('127.0.0.1').describe('Where the service is reached.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Where the service is reached. 0: a free one is taken and kept.'),
  health: healthConfigSchema.prefault({}),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000)).default({}),
  memory_mb: z.int().min(6).max(1_048_576).default(512),
  cpus: z.number().positive().max(1_024).optional(),
  pids: z.int().min(1).max(1_000_000).default(1_024),
  keep: z.int().min(1).max(50).default(3).describe('Images kept to go back to.'),
  stop_grace_s: z.number().min(0).max(600).default(10).describe('From SIGTERM to SIGKILL.'),
  registry: z
    .string()
    .regex(/^[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._/-]+)?$/)
    .optional()
    .describe('Images are pushed there, such as ghcr.io/team.'),
  image_prefix: z
    .string()
    .regex(/^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*$/)
    .max(100)
    .optional()
    .describe('In front of the name of the project, in the name of its image.'),
});
export type DockerConfig = z.infer<typeof dockerConfigSchema>;
