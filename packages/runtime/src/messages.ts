import { userMessageSchema } from '@forge/core';
import * as z from 'zod';

const json = z.json();
const jsonObject = z.record(z.string(), json);
const by = z.string().optional();
const reason = z.string().optional();
const content = z.array(z.object({ type: z.literal('text'), text: z.string() }));

/** What may lie in the inbox of a run, by kind. */
export const runMessages = {
  /** Somebody says something. `interrupt`: now, though the model is still speaking. */
  input: z.object({
    messages: z.array(userMessageSchema).min(1),
    mode: z.enum(['queue', 'interrupt']).default('queue'),
  }),
  /** A person decided on a call, or answered a question. */
  approval: z.object({
    id: z.string(),
    callId: z.string(),
    approved: z.boolean(),
    by,
    via: z.string().optional(),
    reason,
    args: jsonObject.optional(),
    answer: json.optional(),
    at: z.number().optional(),
  }),
  approval_expired: z.object({ id: z.string(), callId: z.string() }),
  /** A call that is answered from outside has its result: of a child run, of a webhook. */
  result: z.object({
    callId: z.string(),
    /** The idempotency key of the call, where who answers knows it. */
    key: z.string().optional(),
    outcome: z.enum(['ok', 'error', 'not_found', 'cancelled', 'expired']),
    content,
  }),
  pause: z.object({ by, reason }),
  continue: z.object({ by }),
  cancel: z.object({ by, reason }),
  /** What a person thinks of it. Heard after the end, too. */
  verdict: z.object({
    verdict: z.enum(['success', 'failure', 'partial']),
    by,
    note: z.string().max(2_000).optional(),
  }),
} as const;

export type RunMessageKind = keyof typeof runMessages;
export type RunMessage = {
  [Kind in RunMessageKind]: { readonly kind: Kind } & z.infer<(typeof runMessages)[Kind]>;
}[RunMessageKind];

/** A message of the inbox, read; or what is wrong with it. */
export function readMessage(
  kind: string,
  payload: unknown,
):
  | { readonly ok: true; readonly message: RunMessage }
  | { readonly ok: false; readonly why: string } {
  const schema = Object.hasOwn(runMessages, kind) ? runMessages[kind as RunMessageKind] : undefined;
  if (schema === undefined) return { ok: false, why: `no message of kind "${kind}" is known` };
  const read = schema.safeParse(payload);
  if (!read.success) return { ok: false, why: z.prettifyError(read.error) };
  return { ok: true, message: { kind, ...read.data } as RunMessage };
}
