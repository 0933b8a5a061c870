import * as z from 'zod';

const question = z.string().min(1).describe('What you want to know, in one or two sentences.');
const context = z
  .string()
  .optional()
  .describe('What the person has to know to answer. They do not see this conversation.');
const urgency = z.enum(['low', 'medium', 'high']).optional();

/** The arguments of a question whose answer has a shape of its own. */
export const plainInput = z.object({ question, context, urgency });

export const askInput = z
  .object({
    question,
    context,
    urgency,
    format: z
      .enum(['free_text', 'yes_no', 'choice'])
      .optional()
      .describe('free_text if not given. With choice, give the choices.'),
    choices: z.array(z.string().min(1)).min(2).max(25).optional(),
  })
  .refine(({ format, choices }) => (format === 'choice') === (choices !== undefined), {
    path: ['choices'],
    message: 'give choices with format "choice", and only then',
  })
  .refine(({ choices = [] }) => new Set(choices.map(folded)).size === choices.length, {
    path: ['choices'],
    message: 'each choice must be another one',
  });

/** Choices that differ only in case or space around them are one to a person. */
export function folded(text: string): string {
  return text.trim().toLowerCase();
}
