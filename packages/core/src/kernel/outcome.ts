import * as z from 'zod';

/** How something came out, for whoever learns from it. */
export const outcomeSchema = z.object({
  /** What it is of: an agent's run, a verdict on others' work, or what a person thinks of it. */
  kind: z.enum(['run', 'review', 'deploy', 'verification', 'rollback', 'human']),
  verdict: z.enum(['success', 'failure', 'partial']),
  /** What was to be done: planning, coding, review, deploy, verify, or an agent's own word. */
  taskType: z.string(),
  agent: z.string(),
  /** The model that did it. Undefined: no model did. */
  model: z.string().optional(),
  /** Which wording of the instructions: `coder@3f2a91c0`. */
  promptVersion: z.string().optional(),
  /** US dollars. */
  cost: z.number(),
  tokens: z.number(),
  latencyMs: z.number(),
  /** Who says so, if it was a person. */
  by: z.string().optional(),
  note: z.string().optional(),
});

export type Outcome = z.infer<typeof outcomeSchema>;
