import { isJsonObject, type JsonObject, type JsonValue, nestsTooDeep } from '../json.ts';
import { mendJson } from '../rescue/mend-json.ts';
import { toolIndex } from '../rescue/tool-index.ts';
import { checkArguments } from '../schema/check-arguments.ts';
import type { SchemaIssue } from '../schema/compile-schema.ts';
import { exampleFromSchema } from '../schema/example-from-schema.ts';
import { formatPath } from '../schema/format-path.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { Guard } from './create-guard.ts';
import { nearestNames } from './nearest-names.ts';
import type { Problem } from './problem.ts';
import type { ProposedCall } from './read-reply.ts';

/** Of a name that no tool has, as much is kept: it may be a page of prose. */
export const longestName = 128;
const longestShown = 500;

export type CallCheck =
  | {
      readonly ok: true;
      readonly tool: Tool;
      readonly args: JsonObject;
      readonly mended: readonly string[];
    }
  | { readonly ok: false; readonly problem: Problem };

/** Steps two and three of the chain: the tool exists, and the arguments fit it. */
export function checkCall(guard: Guard, call: ProposedCall): CallCheck {
  const { switches } = guard;
  const tool = guard.tools.get(call.name);
  if (tool === undefined)
    return switches.repairs ? respell(guard, call) : unknown(guard, call.name);
  if (!switches.arguments) return uncheckedArguments(tool, call);
  if (!switches.repairs) return strictArguments(tool, call);
  const checked = checkArguments(tool.schema, call.args);
  if (!checked.ok) {
    const mended = typeof call.args === 'string' ? mendJson(call.args) : undefined;
    if (mended === undefined) return badArguments(tool, checked.issues, checked.args);
    const repairs = [...mended.repairs].map((repair) => `arguments: ${repair}`);
    return checkCall(guard, { ...call, args: mended.value, mended: [...call.mended, ...repairs] });
  }
  const refused = tool.refine(checked.args);
  if (refused.length > 0) return badArguments(tool, refused, checked.args);
  const mended =
    checked.repairs.length === 0
      ? call.mended
      : [
          ...call.mended,
          ...checked.repairs.map((repair) => `${formatPath(repair.path)}: ${repair.message}`),
        ];
  return { ok: true, tool, args: checked.args, mended };
}

/** A name that differs only in spelling (`functions.add`, `Add`) is the tool's, if only one fits. */
function respell(guard: Guard, call: ProposedCall): CallCheck {
  const meant = toolIndex(guard.specs).resolve(call.name)?.tool.name;
  if (meant === undefined || !guard.tools.has(meant)) return unknown(guard, call.name);
  const mended = [...call.mended, `name: ${JSON.stringify(call.name)} read as ${meant}`];
  return checkCall(guard, { ...call, name: meant, mended });
}

function unknown(guard: Guard, name: string): CallCheck {
  return { ok: false, problem: unknownTool(guard, name) };
}

export function unknownTool(guard: Guard, name: string): Problem {
  return {
    kind: 'unknown_tool',
    tool: name.slice(0, longestName),
    nearest: nearestNames(name, guard.names),
    known: guard.names,
  };
}

/** A right call to show the model: its own short values where they fit, made-up ones elsewhere. */
export function exampleCall(tool: Tool, given: JsonObject = {}): JsonObject {
  const example = exampleFromSchema(tool.spec.inputSchema);
  const named = propertiesOf(tool);
  const own = Object.entries(given).filter(
    ([key, value]) => (named === undefined || named.has(key)) && isShort(value),
  );
  const mixed = { ...example, ...Object.fromEntries(own) };
  if (tool.schema.accepts(mixed)) return mixed;
  const bad = new Set(tool.schema.issues(mixed, 50).map((issue) => String(issue.path[0])));
  const kept = own.filter(([key]) => !bad.has(key));
  const partly = { ...example, ...Object.fromEntries(kept) };
  return tool.schema.accepts(partly) ? partly : example;
}

/** The arguments the schema names: what the model made up beside them is nothing to repeat. */
function propertiesOf({ spec }: Tool): ReadonlySet<string> | undefined {
  const properties = typeof spec.inputSchema === 'object' ? spec.inputSchema.properties : undefined;
  return isJsonObject(properties) ? new Set(Object.keys(properties)) : undefined;
}

/** The model has its own long values before it: the example need not say them again. */
function isShort(value: JsonValue): boolean {
  return (JSON.stringify(value) ?? '').length <= longestShown;
}

function badArguments(tool: Tool, issues: readonly SchemaIssue[], given: JsonObject): CallCheck {
  const example = exampleCall(tool, given);
  return { ok: false, problem: { kind: 'bad_arguments', tool: tool.spec.name, issues, example } };
}

function strictArguments(tool: Tool, call: ProposedCall): CallCheck {
  const args = parseIfText(call.args);
  const issues = tool.schema.issues(args);
  const given = isJsonObject(args) ? args : {};
  if (issues.length > 0) return badArguments(tool, issues, given);
  const refused = tool.refine(given);
  if (refused.length > 0) return badArguments(tool, refused, given);
  return { ok: true, tool, args: given, mended: call.mended };
}

function uncheckedArguments(tool: Tool, call: ProposedCall): CallCheck {
  const args = parseIfText(call.args);
  if (isJsonObject(args)) return { ok: true, tool, args, mended: call.mended };
  const issue = { path: [], keyword: 'type', message: 'must be a JSON object' };
  return badArguments(tool, [issue], {});
}

function parseIfText(args: unknown): unknown {
  try {
    const value: unknown = typeof args === 'string' ? JSON.parse(args) : args;
    return nestsTooDeep(value) ? undefined : value;
  } catch {
    return undefined; // Not JSON: whoever asked sees it is no object.
  }
}
