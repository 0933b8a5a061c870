import { canonicalJson, type JsonObject } from '../json.ts';
import type { Prerequisite } from '../tools/define-tool.ts';
import type { Guard } from './create-guard.ts';

const nothing: readonly string[] = [];

/** What the success of this call will establish, for required steps and prerequisites. */
export function factsOf(guard: Guard, name: string, args: JsonObject): readonly string[] {
  if (!guard.rememberedTools.has(name)) return nothing;
  const matched = guard.matchedArguments.get(name) ?? nothing;
  return [name, ...matched.map((argument) => matchFact(name, argument, args))];
}

/** The fact that must be there before a call with these arguments may run. */
export function neededFact(prerequisite: Prerequisite, args: JsonObject): string {
  if (typeof prerequisite === 'string') return prerequisite;
  return matchFact(prerequisite.tool, prerequisite.match, args);
}

/** The facts of a call whose arguments a person changed: those that quote an argument follow it. */
export function factsAfterEdit(
  { name, args, facts }: { name: string; args: JsonObject; facts: readonly string[] },
  edited: JsonObject,
): readonly string[] {
  const moved = new Map(
    [...Object.keys(args), ...Object.keys(edited)].map((argument) => [
      matchFact(name, argument, args),
      matchFact(name, argument, edited),
    ]),
  );
  return facts.map((fact) => moved.get(fact) ?? fact);
}

function matchFact(tool: string, argument: string, args: JsonObject): string {
  return `${tool}.${argument}=${canonicalJson(args[argument])}`;
}
