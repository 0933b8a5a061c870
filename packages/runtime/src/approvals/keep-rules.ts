import { ForgeError, messageOf } from '@forge/core';
import type { ApprovalRule } from '@forge/store';
import type { NewApprovalRule, Rules } from './rules-api.ts';

/** Rules that come from decisions, which stand by now: whoever is told of a failure is told that too. */
export async function keepRules(
  rules: Rules,
  kept: readonly NewApprovalRule[],
): Promise<readonly ApprovalRule[]> {
  const added: ApprovalRule[] = [];
  for (const rule of kept) {
    try {
      added.push(await rules.add(rule));
    } catch (error) {
      throw new ForgeError(
        'store_failed',
        `It is decided, but the rule ${rule.pattern} was not kept: ${messageOf(error)} Add the rule by itself.`,
        { cause: error },
      );
    }
  }
  return added;
}
