import { createGuard, type Guard, isJsonObject, type Tool, type ToolChoice } from '@forge/core';
import type { ResponseFormat, WireRequest } from '@forge/models';
import type { GuardSettings, StepRule } from '../options.ts';

/** What a reply to this request is held to. */
export interface Rules {
  /** Undefined where the request offers no tools. */
  readonly guard: Guard | undefined;
  readonly oneCall: boolean;
  readonly format: ResponseFormat | undefined;
  /** A `respond` tool of ours is among the tools. */
  readonly respondTool: boolean;
}

export const noRules: Rules = {
  guard: undefined,
  oneCall: false,
  format: undefined,
  respondTool: false,
};

/** The rules of a set of tools under one choice. */
export function guardFor(
  tools: readonly Tool[],
  toolChoice: ToolChoice,
  settings: GuardSettings,
): Guard {
  const { maxRetries, maxToolErrors, switches, steps = [] } = settings;
  const rule = steps.find(({ tools: named }) => named.every((name) => offers(tools, name)));
  return createGuard({
    tools,
    toolChoice: chosen(tools, toolChoice),
    ...(rule !== undefined && stepsOf(rule, tools)),
    limits: {
      ...(maxRetries !== undefined && { retries: maxRetries }),
      ...(maxToolErrors !== undefined && { toolErrors: maxToolErrors }),
    },
    ...(switches !== undefined && { guardrails: switches }),
  });
}

/** A rule speaks of its own tools only; of the others it names, those that are offered count. */
function stepsOf({ requiredSteps, terminalTools = [] }: StepRule, tools: readonly Tool[]) {
  return {
    requiredSteps: requiredSteps.filter((name) => offers(tools, name)),
    terminalTools: terminalTools.filter((name) => offers(tools, name)),
  };
}

function offers(tools: readonly Tool[], name: string): boolean {
  return tools.some((tool) => tool.spec.name === name);
}

/** The choice of a tool that is none of ours (a tool the server runs) is the server's business. */
function chosen(tools: readonly Tool[], choice: ToolChoice): ToolChoice {
  return typeof choice === 'object' && !offers(tools, choice.tool) ? 'auto' : choice;
}

/** More than one reply was asked for: which of them the guardrails should judge nobody can say. */
export function asksForSeveral({ extra }: WireRequest): boolean {
  const { n, generationConfig } = extra;
  if (typeof n === 'number' && n > 1) return true;
  const count = isJsonObject(generationConfig) ? generationConfig.candidateCount : undefined;
  return typeof count === 'number' && count > 1;
}
