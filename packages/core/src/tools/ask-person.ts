import * as z from 'zod';
import type { JsonSchema } from '../schema/json-schema.ts';

/** What a person is asked, as logs keep it. */
export const personQuestionSchema = z.object({
  message: z.string().min(1),
  /** What the person has to know to answer: who asks, and what for. */
  context: z.string().optional(),
  /** JSON Schema of the answer. Without it, a text. */
  schema: z.union([z.boolean(), z.record(z.string(), z.json())]).optional(),
  /** A page to visit instead of an answer: to accept is to have done so. */
  url: z.string().optional(),
});

/** What a person did about a question. */
export const personAnswerSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.json().optional() }),
  z.object({ action: z.literal('decline'), reason: z.string().optional() }),
  /** Nobody answered in time. */
  z.object({ action: z.literal('cancel') }),
]);

/** Something a tool wants to know from a person while it works on a call. */
export interface PersonQuestion
  extends Readonly<Omit<z.infer<typeof personQuestionSchema>, 'schema'>> {
  readonly schema?: JsonSchema;
  /** Aborts when the answer is no longer wanted. */
  readonly signal?: AbortSignal;
}

/** A question as a driver gets it: checked, JSON, and with a signal that ends no later than the call. */
export interface PersonRequest extends Readonly<z.infer<typeof personQuestionSchema>> {
  readonly signal: AbortSignal;
}

export type PersonAnswer = Readonly<z.infer<typeof personAnswerSchema>>;

/**
 * Asks a person and waits for as long as it takes. Rejects when the answer is no longer wanted
 * (with the reason of the signal), for a question that cannot be put, and for an answer that does
 * not fit it.
 */
export type AskPerson = (question: PersonQuestion) => Promise<PersonAnswer>;
