import type { JsonSchema } from '@forge/core';
import * as z from 'zod';
import { agentInputs } from '../agents/agent-inputs.ts';
import {
  codeSchema,
  deploymentSchema,
  mergeSchema,
  planSchema,
  reviewSchema,
  rollbackSchema,
  verificationSchema,
} from '../contracts.ts';
import type { AgentContract } from './value-type.ts';

const commit = codeSchema.shape.commit;

const outputs = {
  planner: planSchema,
  coder: codeSchema,
  merger: mergeSchema,
  reviewer: reviewSchema,
  deployer: deploymentSchema,
  verifier: verificationSchema,
  rollback: rollbackSchema,
  publisher: z.object({ branch: z.string(), commit }),
};

let contracts: Readonly<Record<keyof typeof outputs, AgentContract>> | undefined;

/** What the agents that come with Forge are given and hand on, as JSON Schema. */
export function agentContracts(): Readonly<Record<keyof typeof outputs, AgentContract>> {
  contracts ??= Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [
      name,
      {
        input: z.toJSONSchema(agentInputs[name as keyof typeof outputs], {
          io: 'input',
        }) as JsonSchema,
        output: outputSchema(output),
      },
    ]),
  ) as Readonly<Record<keyof typeof outputs, AgentContract>>;
  return contracts;
}

/** Defaults are filled in on the way out. More than was asked for is no fault. */
function outputSchema(output: z.ZodType): JsonSchema {
  return z.toJSONSchema(output, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as JsonSchema;
}
