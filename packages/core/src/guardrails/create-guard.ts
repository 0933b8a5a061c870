import { defaultLimits, type Limits, resolveLimits } from '../agents/limits.ts';
import { ForgeError } from '../errors.ts';
import type { ToolChoice, ToolSpec } from '../models.ts';
import type { Prerequisite, Tool } from '../tools/define-tool.ts';
import { nudgeText } from './nudge-text.ts';
import type { Problem, Tone } from './problem.ts';
import { resolveSwitches, type Switches } from './switches.ts';

export interface GuardOptions {
  readonly tools?: readonly Tool[];
  /** Tools that must have succeeded before the run may finish. */
  readonly requiredSteps?: readonly string[];
  /** Tools whose success ends the run. With any, plain text does not. */
  readonly terminalTools?: readonly string[];
  readonly toolChoice?: ToolChoice;
  readonly limits?: Partial<Limits>;
  readonly guardrails?: Partial<Switches>;
  /** Your own words to the model, where you return some. */
  readonly nudge?: (problem: Problem, tone: Tone) => string | undefined;
}

/** The rules of a run, checked and ready to judge replies by. */
export interface Guard {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly names: readonly string[];
  readonly specs: readonly ToolSpec[];
  readonly requiredSteps: readonly string[];
  readonly terminalTools: readonly string[];
  readonly toolChoice: ToolChoice;
  readonly limits: Limits;
  readonly switches: Switches;
  readonly nudge: (problem: Problem, tone: Tone) => string;
  /** Per tool: arguments that a later prerequisite may match on. */
  readonly matchedArguments: ReadonlyMap<string, readonly string[]>;
  /** Tools whose success is worth remembering. */
  readonly rememberedTools: ReadonlySet<string>;
}

export function createGuard(options: GuardOptions): Guard {
  const { tools = [], requiredSteps = [], terminalTools = [], toolChoice = 'auto' } = options;
  const byName = indexTools(tools);
  const names = [...byName.keys()];
  checkNames('requiredSteps', requiredSteps, byName);
  checkNames('terminalTools', terminalTools, byName);
  if (typeof toolChoice === 'object') checkNames('toolChoice', [toolChoice.tool], byName);
  for (const name of terminalTools) {
    if (requiredSteps.includes(name)) {
      throw new ForgeError(
        'invalid_agent',
        `"${name}" is both a terminal tool and a required step, so it could never run. Remove it from requiredSteps.`,
      );
    }
  }
  for (const tool of tools) checkPrerequisites(tool, byName);
  refuseCircles(byName);
  const { nudge } = options;
  const prerequisites = tools.flatMap((tool) => tool.prerequisites);
  return {
    tools: byName,
    names,
    specs: tools.map((tool) => tool.spec),
    requiredSteps: [...new Set(requiredSteps)],
    terminalTools,
    toolChoice,
    limits: options.limits === undefined ? defaultLimits : resolveLimits(options.limits),
    switches: resolveSwitches(options.guardrails),
    nudge: nudge ? (problem, tone) => nudge(problem, tone) ?? nudgeText(problem, tone) : nudgeText,
    matchedArguments: indexMatches(prerequisites),
    rememberedTools: new Set([...requiredSteps, ...prerequisites.map(toolOf)]),
  };
}

export function toolOf(prerequisite: Prerequisite): string {
  return typeof prerequisite === 'string' ? prerequisite : prerequisite.tool;
}

function indexTools(tools: readonly Tool[]): Map<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.spec.name)) {
      throw new ForgeError(
        'invalid_agent',
        `There are two tools called "${tool.spec.name}". Rename one of them.`,
      );
    }
    byName.set(tool.spec.name, tool);
  }
  return byName;
}

function checkNames(where: string, names: readonly string[], known: ReadonlyMap<string, Tool>) {
  for (const name of names) {
    if (known.has(name)) continue;
    throw new ForgeError(
      'invalid_agent',
      `${where} names "${name}", which is not one of the tools: ${[...known.keys()].join(', ') || 'there are none'}.`,
    );
  }
}

function checkPrerequisites(tool: Tool, known: ReadonlyMap<string, Tool>) {
  const where = `Tool "${tool.spec.name}": prerequisites`;
  checkNames(where, tool.prerequisites.map(toolOf), known);
  for (const needed of tool.prerequisites) {
    if (typeof needed === 'string') continue;
    for (const owner of [tool, known.get(needed.tool)]) {
      if (owner === undefined || mayHaveProperty(owner, needed.match)) continue;
      throw new ForgeError(
        'invalid_agent',
        `${where} match on "${needed.match}", which is not an argument of ${owner.spec.name}.`,
      );
    }
  }
}

function mayHaveProperty(tool: Tool, name: string): boolean {
  const { inputSchema } = tool.spec;
  if (typeof inputSchema !== 'object') return true;
  const { properties } = inputSchema;
  if (typeof properties !== 'object' || properties === null) return true;
  return Object.hasOwn(properties, name);
}

function indexMatches(prerequisites: readonly Prerequisite[]): Map<string, string[]> {
  const matches = new Map<string, string[]>();
  for (const needed of prerequisites) {
    if (typeof needed === 'string') continue;
    const already = matches.get(needed.tool) ?? [];
    if (!already.includes(needed.match)) matches.set(needed.tool, [...already, needed.match]);
  }
  return matches;
}

/** Tools that wait for each other could never run. */
function refuseCircles(tools: ReadonlyMap<string, Tool>) {
  const safe = new Set<string>();
  const visit = (name: string, path: readonly string[]) => {
    if (safe.has(name)) return;
    if (path.includes(name)) {
      throw new ForgeError(
        'invalid_agent',
        `Prerequisites go in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}. None of these could ever run.`,
      );
    }
    for (const needed of tools.get(name)?.prerequisites ?? [])
      visit(toolOf(needed), [...path, name]);
    safe.add(name);
  };
  for (const name of tools.keys()) visit(name, []);
}
