import type { JsonObject } from '../json.ts';
import type { Guard } from './create-guard.ts';
import { toolOf } from './create-guard.ts';
import { factsOf, neededFact } from './facts.ts';
import type { Problem } from './problem.ts';
import type { Progress } from './progress.ts';

export interface OrderedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

export interface Order {
  /** Per call: the earlier calls of the batch it has to wait for. */
  readonly after: readonly (readonly string[])[];
  /** Per call: what its success establishes. */
  readonly facts: readonly (readonly string[])[];
  readonly problems: ReadonlyMap<string, Problem>;
}

const nobody: readonly string[] = [];

/**
 * Step four of the chain. A call whose step or prerequisite stands earlier in the same batch
 * may go on after it; one whose step is nowhere is a problem.
 */
export function checkOrder(guard: Guard, progress: Progress, calls: readonly OrderedCall[]): Order {
  const after: (readonly string[])[] = [];
  const facts: (readonly string[])[] = [];
  const problems = new Map<string, Problem>();
  const promised = new Map<string, string>();
  for (const call of calls) {
    const waits = new Set<string>();
    const problem =
      missingPrerequisite(guard, progress, call, promised, waits) ??
      missingSteps(guard, progress, call, promised, waits);
    if (problem !== undefined) problems.set(call.id, problem);
    after.push(waits.size === 0 ? nobody : [...waits]);
    const established = factsOf(guard, call.name, call.args);
    facts.push(established);
    for (const fact of established) if (!promised.has(fact)) promised.set(fact, call.id);
  }
  return { after, facts, problems };
}

/** Required steps that have not succeeded yet. */
export function pendingSteps(guard: Guard, progress: Progress): string[] {
  if (!guard.switches.steps) return [];
  return guard.requiredSteps.filter((step) => !progress.facts.includes(step));
}

function missingPrerequisite(
  guard: Guard,
  progress: Progress,
  call: OrderedCall,
  promised: ReadonlyMap<string, string>,
  waits: Set<string>,
): Problem | undefined {
  if (!guard.switches.prerequisites) return undefined;
  for (const prerequisite of guard.tools.get(call.name)?.prerequisites ?? []) {
    const fact = neededFact(prerequisite, call.args);
    if (progress.facts.includes(fact)) continue;
    const provider = promised.get(fact);
    if (provider !== undefined) {
      waits.add(provider);
      continue;
    }
    const match =
      typeof prerequisite === 'string'
        ? undefined
        : { argument: prerequisite.match, value: call.args[prerequisite.match] ?? null };
    return { kind: 'prerequisite_missing', tool: call.name, needs: toolOf(prerequisite), match };
  }
  return undefined;
}

function missingSteps(
  guard: Guard,
  progress: Progress,
  call: OrderedCall,
  promised: ReadonlyMap<string, string>,
  waits: Set<string>,
): Problem | undefined {
  if (!guard.terminalTools.includes(call.name)) return undefined;
  const missing: string[] = [];
  for (const step of pendingSteps(guard, progress)) {
    const provider = promised.get(step);
    if (provider === undefined) missing.push(step);
    else waits.add(provider);
  }
  if (missing.length === 0) return undefined;
  return { kind: 'steps_missing', tool: call.name, missing };
}
