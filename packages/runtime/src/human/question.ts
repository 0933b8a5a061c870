import * as z from 'zod';

const said = z.string();
const urgency = z.enum(['low', 'medium', 'high']).optional();
const asked = {
  question: said,
  context: said.optional(),
  urgency,
  /** A page the person is to visit. */
  url: said.optional(),
};

/** What a person is asked, beside the call itself. It lies with the approval: any process can read it. */
export const questionSchema = z.discriminatedUnion('kind', [
  /** The call had begun when its worker died: whether it took effect is not known. Run it again? */
  z.object({ kind: z.literal('interrupted') }),
  /** The model asks for a yes or no to something it describes; or a tool, to a page it wants visited. */
  z.object({ kind: z.literal('request'), ...asked }),
  z.object({ kind: z.literal('free_text'), ...asked }),
  z.object({ kind: z.literal('yes_no'), ...asked }),
  z.object({ kind: z.literal('choice'), ...asked, choices: z.array(said).min(1) }),
  /** The answer is a value that fits this JSON Schema. */
  z.object({
    kind: z.literal('value'),
    ...asked,
    schema: z.union([z.boolean(), z.record(z.string(), z.json())]),
  }),
]);

export type Question = z.infer<typeof questionSchema>;

/** Undefined for a plain approval, and for what no question of ours looks like. */
export function readQuestion(value: unknown): Question | undefined {
  const read = questionSchema.safeParse(value);
  return read.success ? read.data : undefined;
}
