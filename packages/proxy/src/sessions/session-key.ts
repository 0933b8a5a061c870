import { createHash } from 'node:crypto';

/** Headers that name a session, the surest first. Claude Code and Codex send theirs unasked. */
const sessionHeaders = [
  'x-forge-session',
  'x-claude-code-session-id',
  'x-session-id',
  'session_id',
  'session-id',
] as const;
const longestName = 1_024;

/**
 * The key of the session a request belongs to: by a header, by `litellm_session_id` in the body's
 * metadata, or else by what does not change in a conversation, which the caller gives as
 * `fingerprint` (model, system prompt, first message of the user, names of tools). A hash, so that
 * nothing of a user is kept. Where the name came from is hashed with it: a header cannot be made
 * to meet a fingerprint.
 */
export function sessionKey({
  headers,
  metadata,
  fingerprint,
}: {
  /** As `node:http` gives them: names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly metadata?: unknown;
  /** Asked for only where nothing names the session. */
  readonly fingerprint: () => string;
}): string {
  for (const name of sessionHeaders) {
    const value = headers[name];
    const session = nameOf(typeof value === 'string' ? value : value?.[0]);
    if (session !== undefined) return hash(`session ${session}`);
  }
  const named = nameOf(litellmSession(metadata));
  return hash(named === undefined ? `prefix ${fingerprint()}` : `session ${named}`);
}

function litellmSession(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  return 'litellm_session_id' in metadata ? metadata.litellm_session_id : undefined;
}

/** Blank or longer than any real one is no name. */
function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > longestName) return undefined;
  return value.trim() || undefined;
}

/** 128 bits of SHA-256: enough that no two sessions meet. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
