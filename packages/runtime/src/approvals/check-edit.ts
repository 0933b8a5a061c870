import {
  canonicalJson,
  checkArguments,
  ForgeError,
  type JsonObject,
  type SchemaIssue,
  type Tool,
} from '@forge/core';
import type { ApprovalRow } from '@forge/store';

/**
 * Arguments a person puts in the place of the proposed ones, checked like a model's, so that a slip
 * is refused at once and what is stored is what runs. Undefined where they are the proposed ones.
 * Of an agent that is not known here they are checked before the call starts.
 */
export function checkEdit(
  { id, proposed }: ApprovalRow,
  args: JsonObject | undefined,
  tool: Tool | undefined,
): JsonObject | undefined {
  if (args === undefined || canonicalJson(args) === canonicalJson(proposed)) return undefined;
  if (tool === undefined) return args;
  const checked = checkArguments(tool.schema, args);
  const issues = checked.ok ? tool.refine(checked.args) : checked.issues;
  if (issues.length === 0) return checked.args;
  throw new ForgeError(
    'invalid_options',
    `The arguments for ${tool.spec.name} in approval "${id}" do not fit: ${issues.map(describe).join('; ')}. Nothing was decided.`,
  );
}

function describe({ path, message }: SchemaIssue): string {
  return path.length === 0 ? `they ${message}` : `${path.join('.')} ${message}`;
}
