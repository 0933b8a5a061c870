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

/** Tools by name: what is said of arguments would be passed over. */
const toolPattern = pattern.refine((text) => !text.includes('('), {
  error: ({ input }) =>
    `"${input}" is about arguments, and this is about whole tools. Say it with a rule.`,
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
  enabled: z.array(toolPattern).optional(),
  disabled: z.array(toolPattern).optional(),
  rules: z.array(policyRuleSchema).max(1_000).optional(),
  /** How often a tool may run in one run. */
  budgets: z
    .record(z.string(), z.int().min(0))
    .superRefine((budgets, context) => {
      for (const name of Object.keys(budgets)) {
        const message = toolPattern.safeParse(name).error?.issues[0]?.message;
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .optional(),
  /** The only programs a command may name. Default: any. */
  commands: z.array(z.string().min(1)).max(1_000).optional(),
});

export type PolicyRule = z.infer<typeof policyRuleSchema>;
export type Policy = z.infer<typeof policySchema>;
