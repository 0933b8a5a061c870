import { defineTool, type JsonObject, type Tool } from '@forge/core';
import * as z from 'zod';
import type { CallView } from '../policy/apply-policy.ts';

/** A tool's second name, and how it is made of the tool. */
interface Alias {
  readonly name: string;
  readonly of: string;
  readonly make: (tool: Tool) => Tool;
  /** The arguments as the tool itself takes them; undefined if they are no arguments of this name. */
  readonly toOwn: (args: JsonObject) => JsonObject | undefined;
  /** The arguments of the tool itself as this name takes them. */
  readonly fromOwn: (args: JsonObject) => JsonObject;
}

/** The same tool with the same arguments. */
function named(name: string, of: string): Alias {
  return {
    name,
    of,
    make: (tool) => ({ ...tool, spec: { ...tool.spec, name } }),
    toOwn: (args) => args,
    fromOwn: (args) => args,
  };
}

/** The same tool, where the arguments had other names. */
function renamed<S extends z.ZodType>({
  name,
  of,
  input,
  to,
  from,
}: {
  readonly name: string;
  readonly of: string;
  readonly input: S;
  readonly to: (args: z.output<S>) => JsonObject;
  readonly from: (args: JsonObject) => JsonObject;
}): Alias {
  return {
    name,
    of,
    toOwn: (given) => {
      const { success, data } = input.safeParse(given);
      return success ? to(data) : undefined;
    },
    fromOwn: from,
    make: (tool) => {
      const { description } = tool.spec;
      const { spec, schema, refine } = defineTool({ name, description, input });
      const args = (given: JsonObject) => to(input.parse(given));
      const { denies } = tool;
      return {
        ...tool,
        spec,
        schema,
        refine,
        ...(denies !== undefined && { denies: (given) => denies(args(given)) }),
        needsApproval: (given) => tool.needsApproval(args(given)),
        run: (given, context) => tool.run?.(args(given), context),
      };
    },
  };
}

/** Names that tools had in earlier systems. */
const aliases: readonly Alias[] = [
  named('read_file', 'read'),
  named('file_read', 'read'),
  named('write_file', 'write'),
  named('file_write', 'write'),
  named('edit_file', 'edit'),
  named('list_directory', 'list'),
  named('run_shell', 'shell'),
  named('todo', 'plan'),
  renamed({
    name: 'shell_exec',
    of: 'shell',
    input: z.object({
      command: z.string().min(1).describe('A shell script.'),
      working_dir: z.string().min(1).optional(),
      timeout_ms: z.number().positive().max(600_000).default(60_000),
    }),
    to: ({ command, working_dir, timeout_ms }) => ({
      command,
      timeout_seconds: timeout_ms / 1_000,
      ...(working_dir !== undefined && { cwd: working_dir }),
    }),
    from: ({ cwd, timeout_seconds, ...rest }) => ({
      ...rest,
      ...(cwd !== undefined && { working_dir: cwd }),
      ...(typeof timeout_seconds === 'number' && { timeout_ms: timeout_seconds * 1_000 }),
    }),
  }),
  renamed({
    name: 'search_codebase',
    of: 'search',
    input: z.object({
      pattern: z.string().min(1).describe('Regular expression.'),
      file_glob: z.string().min(1).optional().describe('Only files like this: "*.ts".'),
      max_results: z.int().min(1).max(1_000).default(20),
    }),
    to: ({ pattern, file_glob, max_results }) => ({
      pattern,
      max_results,
      ...(file_glob !== undefined && { glob: file_glob }),
    }),
    from: ({ glob, ...rest }) => ({ ...rest, ...(glob !== undefined && { file_glob: glob }) }),
  }),
];

/** The earlier names of each tool that has any. */
export const toolAliases: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...Map.groupBy(aliases, ({ of }) => of)].map(([of, list]) => [of, list.map(({ name }) => name)]),
);

/** A call as it would be under the other names of its tool; none if its arguments are wrong. */
export function aliasViews({ tool, args }: CallView): readonly CallView[] {
  const alias = aliases.find(({ name }) => name === tool);
  const own = alias === undefined ? args : alias.toOwn(args);
  if (own === undefined) return [];
  const of = alias?.of ?? tool;
  const others = aliases.filter((each) => each.of === of && each.name !== tool);
  return [
    ...(of === tool ? [] : [{ tool: of, args: own }]),
    ...others.map(({ name, fromOwn }) => ({ tool: name, args: fromOwn(own) })),
  ];
}

/** The tools under the names of earlier systems, for prompts and models that know those. */
export function aliasesOf(tools: readonly Tool[]): Tool[] {
  return aliases.flatMap(({ of, make }) => {
    const tool = tools.find(({ spec }) => spec.name === of);
    return tool === undefined ? [] : [make(tool)];
  });
}
