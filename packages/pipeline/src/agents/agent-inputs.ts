import { ForgeError, type JsonValue } from '@forge/core';
import * as z from 'zod';
import {
  codeSchema,
  deploymentSchema,
  findingSchema,
  mergeSchema,
  planSchema,
  taskSchema,
  verificationSchema,
} from '../contracts.ts';

const commit = codeSchema.shape.commit;
const request = z.string().min(1).max(200_000);

/** What each agent of the pipeline is given, as the JSON of its first message. */
export const agentInputs = {
  planner: z.object({ request, commit }),
  coder: z.object({
    commit,
    task: taskSchema.optional(),
    request: request.optional(),
    plan: planSchema.optional(),
    done: z.array(codeSchema).optional(),
    findings: z.array(findingSchema).optional(),
    problems: z.array(z.string()).optional(),
    conflict: mergeSchema.shape.conflict,
  }),
  merger: z.object({
    base: commit,
    results: z.array(codeSchema).min(1).max(200),
    /** After a conflict was resolved: `base` holds this result already, and all before it. */
    after: commit.optional(),
  }),
  reviewer: z.object({
    base: commit,
    commit,
    request: request.optional(),
    plan: planSchema.optional(),
  }),
  deployer: z.object({ commit }),
  verifier: z.object({
    deployment: deploymentSchema,
    plan: planSchema.optional(),
    request: request.optional(),
  }),
  rollback: z.object({ deployment: deploymentSchema, verification: verificationSchema.optional() }),
  publisher: z.object({ commit, request }),
} as const;

export type AgentInput<Name extends keyof typeof agentInputs> = z.infer<(typeof agentInputs)[Name]>;

/** What a run was given, checked; an error that names what does not fit. */
export function readInput<Name extends keyof typeof agentInputs>(
  name: Name,
  value: JsonValue,
): AgentInput<Name> {
  const result = agentInputs[name].safeParse(value);
  if (result.success) return result.data as AgentInput<Name>;
  throw new ForgeError(
    'invalid_options',
    `The ${name} was given something else than it takes: ${z.prettifyError(result.error)}`,
  );
}
