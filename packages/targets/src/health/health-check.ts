import * as z from 'zod';

/** How a release shows that it works. Of `deploy.config.health`, for every target that serves HTTP. */
export const healthConfigSchema = z.strictObject({
  path: z
    .string()
    .regex(/^\/(?![/\\])[!-~]*$/, 'has to begin with one slash, and what is not ASCII to be %XX')
    .max(2_000)
    .default('/')
    .describe('What is asked for.'),
  status: z.int().min(100).max(599).default(200).describe('What has to come back.'),
  timeout_s: z.number().positive().max(3_600).default(30).describe('Until it has to be healthy.'),
  interval_ms: z.int().min(10).max(60_000).default(200).describe('Between two questions.'),
  successes: z.int().min(1).max(100).default(2).describe('Right answers in a row.'),
  request_timeout_s: z.number().positive().max(300).default(5).describe('For one answer.'),
});
export type HealthConfig = z.infer<typeof healthConfigSchema>;
