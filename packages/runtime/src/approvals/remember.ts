import { ForgeError } from '@forge/core';
import type { ApprovalRow, ApprovalRule } from '@forge/store';
import {
  allowsCall,
  deniesCall,
  isTelling,
  type PatternCall,
  parsePattern,
  suggestPatterns,
} from '@forge/tools/policy';
import type { NewApprovalRule } from './rules-api.ts';

/** How long a decision on a card holds. */
export interface Remember {
  /** `once` is this call only. `run`: this run, with those above and beside it in its family. */
  readonly scope: 'once' | 'run' | 'agent' | 'always';
  /** Which calls; it has to be about this one. Default: exactly this argument again. */
  readonly pattern?: string;
}

/** The rule a decision leaves behind, checked before anything is decided; none for `once`. */
export function ruleToKeep(
  { scope, pattern }: Remember,
  {
    row,
    call,
    effect,
    by,
  }: {
    readonly row: ApprovalRow;
    readonly call: PatternCall;
    readonly effect: ApprovalRule['effect'];
    readonly by: string;
  },
): NewApprovalRule | undefined {
  if (scope === 'once') return undefined;
  const chosen = pattern ?? narrowest(call);
  if (chosen === undefined) {
    throw new ForgeError(
      'invalid_options',
      `No rule can say exactly this call of ${call.tool}. Give the pattern to remember, such as ${suggestPatterns(call).join(' or ')}.`,
    );
  }
  const read = parsePattern(chosen);
  const isAbout = effect === 'allow' ? allowsCall(read, call) : deniesCall(read, call);
  if (!isAbout) {
    throw new ForgeError(
      'invalid_options',
      `The pattern "${chosen}" is not about the call it was to be made from, a call of ${call.tool}. Nothing was decided.`,
    );
  }
  // By its id the rule can be traced to the decision it comes from.
  return { id: `from ${row.id}`, effect, pattern: chosen, scope: scopeOf(scope, row), by };
}

/**
 * Exactly this call again. Where a rule cannot say all of it, and what it can say does not tell what
 * the call does, it would allow more than anybody saw: then the pattern has to be given.
 */
function narrowest(call: PatternCall): string | undefined {
  const [first, ...wider] = suggestPatterns(call);
  const count = Object.keys(call.args).length;
  if (count === 0) return first;
  const saysAll = count === 1 || (call.main !== undefined && isTelling(call.main));
  return wider.length > 0 && saysAll ? first : undefined;
}

function scopeOf(
  scope: 'run' | 'agent' | 'always',
  { rootId, agent }: ApprovalRow,
): ApprovalRule['scope'] {
  if (scope === 'always') return scope;
  return scope === 'agent' ? { agent } : { runId: rootId };
}
