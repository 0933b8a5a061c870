import { type Agent, ForgeError, isJsonObject, type Tool } from '@forge/core';
import { type CallPattern, mainArgument, matchGlob } from '@forge/tools/policy';

/**
 * A rule on an argument that no tool has would never be about any call, and whoever wrote it would
 * believe it is. Where none of the agents has such a tool nothing is known, and nothing is said.
 */
export function checkArgumentName(
  { text, tool, condition }: CallPattern,
  agents: readonly Agent[],
): void {
  if (condition === undefined) return;
  const tools = agents
    .flatMap(({ guard }) => [...guard.tools.values()])
    .filter(({ spec }) => matchGlob(tool, spec.name));
  const { argument } = condition;
  if (tools.length === 0 || tools.some((each) => mayHave(each, argument))) return;
  const known = [...new Set(tools.flatMap((each) => namesOf(each) ?? []))];
  const has = known.length === 0 ? 'no arguments' : `the arguments ${known.join(', ')}`;
  throw new ForgeError(
    'invalid_options',
    argument === undefined
      ? `"${text}" is about the main argument, and ${tools[0]?.spec.name} has no text that is required. Name the argument, as in tool(name=pattern); it has ${has}.`
      : `"${text}" is about the argument ${argument}, and ${tools[0]?.spec.name} has ${has}. To begin a pattern with "${argument}=", name the argument before it.`,
  );
}

function mayHave(tool: Tool, argument: string | undefined): boolean {
  if (argument === undefined) return mainArgument(tool.spec.inputSchema) !== undefined;
  return namesOf(tool)?.includes(argument) ?? true;
}

/** Undefined where any name may do. */
function namesOf({ spec: { inputSchema } }: Tool): readonly string[] | undefined {
  if (typeof inputSchema !== 'object' || !isJsonObject(inputSchema.properties)) return undefined;
  return Object.keys(inputSchema.properties);
}
