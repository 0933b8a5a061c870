import { messageOf } from '@forge/core';
import * as z from 'zod';
import { parsePattern } from './pattern/parse-pattern.ts';

const pattern = z.string().superRefine((text, context) => {
  try {
    parsePattern(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
});

/** One rule: `{ deny: 'shell(git push*)' }`, with why, for the model and for people. */
export const policyRuleSchema = z.union([
  z.strictObject({ deny: pattern, because: z.string().max(500).optional() }),
  z.strictObject({ ask: pattern }),
  z.strictObject({ allow: pattern }),
]);

/**
 * What tools may do, as data: the `tools` part of `forge.yaml`. A deny wins over an ask, an ask over
 * an allow, and where no rule is about a call the tool's own word counts.
 */
export const policySchema = z.strictObject({
  /** Only these, by name or with a star. Default: all. */
  enabled: z.array(pattern).optional(),
  disabled: z.array(pattern).optional(),
  rules: z.array(policyRuleSchema).max(1_000).optional(),
  /** How often a tool may run in one run. */
  budgets: z.record(z.string(), z.int().min(0)).optional(),
  /** The only programs a command may name. Default: any. */
  commands: z.array(z.string().min(1)).max(1_000).optional(),
});

export type PolicyRule = z.infer<typeof policyRuleSchema>;
export type Policy = z.infer<typeof policySchema>;
