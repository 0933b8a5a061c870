import type { IncomingHttpHeaders } from 'node:http';
import type { ReplyPlan } from '../reply/plan-reply.ts';
import { sessionKey } from './session-key.ts';

/** The session of a request: by a name the client gives, or by what stays the same in a conversation. */
export function sessionOf(
  { peek, opening, model, rules }: ReplyPlan,
  headers: IncomingHttpHeaders,
): string {
  const metadata = peek.value('metadata') ?? {
    litellm_session_id: peek.value('litellm_session_id'),
  };
  return sessionKey({
    headers,
    metadata,
    fingerprint: () => JSON.stringify([model, opening(), rules.guard?.names]),
  });
}
