import { defineTool, type Tool } from '@forge/core';
import { planSchema } from '../../contracts.ts';
import { checkPlan } from './check-plan.ts';

/** Hands the plan in. One that could not be carried out is refused before it counts as a call. */
export function submitPlanTool(): Tool {
  const input = planSchema.superRefine((plan, context) => {
    for (const message of checkPlan(plan)) context.addIssue({ code: 'custom', message });
  });
  return defineTool({
    name: 'submit_plan',
    description:
      'Hands in the plan and ends your work: tasks with what they depend on, acceptance checks, risks.',
    input,
    idempotent: true,
    run: (plan) => JSON.stringify(plan),
  });
}
