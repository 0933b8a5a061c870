import {
  checkArguments,
  defineTool,
  isJsonObject,
  type JsonObject,
  nearestNames,
  type SchemaIssue,
  type Tool,
  ToolResolutionError,
} from '@forge/core';
import * as z from 'zod';
import { createToolIndex } from './tool-index.ts';

const mostFound = 10;

/**
 * All tools as they are or, past a number of them, two in the place of many: `find_tools` shows
 * definitions, `use_tool` calls one by its name.
 *
 * A call through `use_tool` is judged as a call of the real tool: its schema checks the arguments,
 * its rules deny, it says whether a person is asked. Put policies on the tools before this. What
 * the kernel counts or times by a tool's name (budgets, prerequisites, timeouts) needs that name,
 * so tools with such are always offered themselves.
 *
 * @example
 * const offered = searchToolsAbove(40, applyPolicy([...builtIn, ...hub.tools()], policy));
 */
export function searchToolsAbove(above: number, tools: readonly Tool[]): readonly Tool[] {
  if (tools.length <= above) return tools;
  const { hidden = [], direct = [] } = Object.groupBy(tools, (tool) =>
    isPlain(tool) ? 'hidden' : 'direct',
  );
  return hidden.length === 0 ? tools : [...direct, createFindTools(hidden), createUseTool(hidden)];
}

function isPlain(tool: Tool): boolean {
  const { run, budget, timeout, backgroundAfter, prerequisites, triggers } = tool;
  const special = [budget, timeout, backgroundAfter].some((setting) => setting !== undefined);
  return run !== undefined && !special && prerequisites.length === 0 && triggers;
}

function createFindTools(tools: readonly Tool[]): Tool {
  const index = createToolIndex(tools);
  return defineTool({
    name: 'find_tools',
    description: `Finds further tools by what they do: there are ${tools.length}. Returns names, descriptions and input schemas. Call one with use_tool.`,
    input: z.object({
      query: z.string().min(1).max(500).describe('Words for what you want to do.'),
      limit: z.int().min(1).max(mostFound).default(5),
    }),
    idempotent: true,
    run: ({ query, limit }) => {
      const found = index.find(query, limit);
      if (found.length > 0) return found.map(({ spec }) => spec);
      throw new ToolResolutionError(
        `No tool was found for ${JSON.stringify(query)}. Try other words.`,
      );
    },
  });
}

function createUseTool(tools: readonly Tool[]): Tool {
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]));
  const resolve = (args: JsonObject) => resolveCall(byName, args);
  const base = defineTool({
    name: 'use_tool',
    description:
      'Calls a tool that find_tools has shown. "arguments" must fit the input schema of that tool.',
    input: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool, as find_tools gave it.' },
        arguments: { type: 'object', description: 'What that tool takes.' },
      },
      required: ['name', 'arguments'],
      additionalProperties: false,
    },
    run: async (args, context) => {
      const call = resolve(args);
      if ('issues' in call) {
        throw new ToolResolutionError(call.issues.map(({ message }) => message).join('; '));
      }
      return await call.tool.run?.(call.args, context);
    },
  });
  return {
    ...base,
    refine(args) {
      const call = resolve(args);
      return 'issues' in call ? call.issues : [];
    },
    // A call that cannot be resolved never gets this far; if it did, somebody is asked.
    needsApproval(args) {
      const call = resolve(args);
      return 'issues' in call || call.tool.needsApproval(call.args);
    },
    denies(args) {
      const call = resolve(args);
      return 'issues' in call ? undefined : call.tool.denies?.(call.args);
    },
  };
}

/** The real call in a call of `use_tool`, or why there is none. */
function resolveCall(
  tools: ReadonlyMap<string, Tool>,
  args: JsonObject,
):
  | { readonly tool: Tool; readonly args: JsonObject }
  | { readonly issues: readonly SchemaIssue[] } {
  const name = String(args.name);
  const tool = tools.get(name);
  if (tool === undefined) {
    const near = nearestNames(name, [...tools.keys()]);
    const hint =
      near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'Look for it with find_tools.';
    const message = `must be the name of a tool; there is no ${JSON.stringify(name.slice(0, 128))}. ${hint}`;
    return { issues: [{ path: ['name'], keyword: 'refine', message }] };
  }
  const checked = checkArguments(tool.schema, isJsonObject(args.arguments) ? args.arguments : {});
  const issues = checked.ok ? tool.refine(checked.args) : checked.issues;
  if (issues.length === 0) return { tool, args: checked.args };
  return { issues: issues.map((issue) => ({ ...issue, path: ['arguments', ...issue.path] })) };
}
