import * as z from 'zod';

/** What the agents of a pipeline hand on to each other. Trees are commits: small, durable, exact. */

const commit = z
  .string()
  .regex(/^[0-9a-f]{40,64}$/)
  .describe('The full hash of a commit of the repository.');

/** A request against the deployed service, and what has to come back. */
export const httpCheckSchema = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).default('GET'),
  path: z.string().startsWith('/').max(2_000).describe('On the deployed service, such as /health.'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().max(100_000).optional(),
  status: z.int().min(100).max(599).default(200),
  /** Texts the body has to hold. */
  includes: z.array(z.string().min(1).max(2_000)).max(20).optional(),
});
export type HttpCheck = z.infer<typeof httpCheckSchema>;

export const acceptanceSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  description: z.string().min(1).max(2_000),
  /** How to see it on the deployed service. Without it the verifier writes one. */
  http: httpCheckSchema.optional(),
});
export type Acceptance = z.infer<typeof acceptanceSchema>;

export const taskSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  title: z.string().min(1).max(200),
  description: z.string().min(1).max(20_000),
  /** Ids of tasks that have to be done before. Those that wait for none are done side by side. */
  dependsOn: z.array(z.string()).max(50).default([]),
});
export type Task = z.infer<typeof taskSchema>;

export const planSchema = z.object({
  summary: z.string().min(1).max(4_000),
  tasks: z.array(taskSchema).min(1).max(20),
  acceptance: z.array(acceptanceSchema).max(50).default([]),
  risks: z.array(z.string().max(1_000)).max(20).default([]),
});
export type Plan = z.infer<typeof planSchema>;

export const checkResultSchema = z.object({
  command: z.string(),
  passed: z.boolean(),
  exitCode: z.int(),
  /** The end of what it printed. */
  output: z.string(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** What a coder, or a merge, leaves. */
export const codeSchema = z.object({
  commit,
  summary: z.string(),
  files: z.array(z.string()),
  checks: z.array(checkResultSchema),
});
export type Code = z.infer<typeof codeSchema>;

export const mergeSchema = z.object({
  status: z.enum(['merged', 'conflict']),
  /** With a conflict: what could be merged before it. */
  commit,
  /** The commit that did not fit, the files, and what is to be done about it. */
  conflict: z
    .object({ commit, task: z.string(), files: z.array(z.string()), problem: z.string() })
    .optional(),
});
export type Merge = z.infer<typeof mergeSchema>;

export const findingSchema = z.object({
  severity: z.enum(['critical', 'high', 'medium', 'low', 'info']),
  file: z.string().max(1_000),
  line: z.int().min(1).optional(),
  message: z.string().min(1).max(4_000),
});
export type Finding = z.infer<typeof findingSchema>;

export const reviewSchema = z.object({
  verdict: z.enum(['pass', 'fail']),
  summary: z.string().min(1).max(8_000),
  findings: z.array(findingSchema).max(100),
  checks: z.array(checkResultSchema),
  commit,
});
export type Review = z.infer<typeof reviewSchema>;

export const deploymentSchema = z.object({
  deploymentId: z.string(),
  target: z.string(),
  commit,
  digest: z.string(),
  url: z.string().optional(),
});
export type Deployment = z.infer<typeof deploymentSchema>;

export const smokeTestSchema = z.object({
  acceptance: z.string(),
  passed: z.boolean(),
  request: httpCheckSchema,
  /** What came back, in a line. */
  got: z.string(),
});

export const verificationSchema = z.object({
  verdict: z.enum(['pass', 'fail']),
  summary: z.string(),
  deploymentId: z.string(),
  healthy: z.boolean(),
  tests: z.array(smokeTestSchema),
  /** For a coder: what did not hold. Empty when it passed. */
  problems: z.array(z.string()),
});
export type Verification = z.infer<typeof verificationSchema>;

export const rollbackSchema = z.object({
  /** `withdrawn`: there was nothing to go back to, so nothing serves any more. */
  status: z.enum(['rolled_back', 'withdrawn']),
  from: z.string(),
  to: z.string().optional(),
  reason: z.string(),
  /** For the coder that is to fix it. */
  problems: z.array(z.string()),
});
export type Rollback = z.infer<typeof rollbackSchema>;
