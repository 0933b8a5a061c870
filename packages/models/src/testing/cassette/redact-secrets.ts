import { isJsonObject, type JsonValue } from '@forge/core';

export const redacted = '[redacted]';

interface SecretShape {
  readonly name: string;
  /** Global. A group called `kept` stays in front. */
  readonly pattern: RegExp;
}

/** How secrets look. A letter or digit right before one means that it is part of something else. */
export const secretShapes: readonly SecretShape[] = [
  {
    name: 'private key',
    pattern:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$(?![\s\S]))/g,
  },
  {
    name: 'OpenAI, Anthropic, OpenRouter, DeepSeek',
    pattern: /(?<![\w-])sk-(?=[\w-]*\d)[\w-]{20,}/g,
  },
  { name: 'Google API key', pattern: /(?<![\w-])AIza[\w-]{35,}/g },
  { name: 'Google token', pattern: /(?<![\w-])ya29\.[\w-]{20,}/g },
  { name: 'Groq', pattern: /(?<![\w-])gsk_[A-Za-z0-9]{20,}/g },
  { name: 'Hugging Face', pattern: /(?<![\w-])hf_[A-Za-z0-9]{30,}/g },
  {
    name: 'xAI, Perplexity, NVIDIA, Together, Replicate, Cerebras',
    pattern: /(?<![\w-])(?:xai-|pplx-|nvapi-|tgp_v1_|r8_|csk-)(?=[\w-]*\d)[\w-]{20,}/g,
  },
  {
    name: 'GitHub',
    pattern: /(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})/g,
  },
  { name: 'GitLab', pattern: /(?<![\w-])glpat-[\w-]{20,}/g },
  { name: 'Slack', pattern: /(?<![\w-])xox[abeoprs]-[\w-]{10,}/g },
  { name: 'Stripe', pattern: /(?<![\w-])[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { name: 'npm', pattern: /(?<![\w-])npm_[A-Za-z0-9]{36,}/g },
  { name: 'AWS access key', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  {
    name: 'AWS secret',
    pattern:
      /(?<kept>aws_?(?:secret_?access_?key|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?)[A-Za-z0-9/+=]{40,}/gi,
  },
  { name: 'JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g },
  {
    name: 'Bearer',
    pattern: /(?<kept>\bbearer\s{1,8})(?:(?=[\w.~+/-]*\d)[\w.~+/-]{8,}|[\w.~+/-]{20,})={0,2}/gi,
  },
  {
    name: 'Basic',
    pattern: /(?<kept>\bbasic\s{1,8})(?=[A-Za-z0-9+/]*[\d=])[A-Za-z0-9+/]{8,}={0,2}/gi,
  },
  {
    name: 'password in a URL',
    pattern: /(?<kept>\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)/gi,
  },
];

/** The text without anything that looks like a secret. Linear; the same again changes nothing. */
export function redactSecrets(text: string): string {
  return secretShapes.reduce(
    (clean, { pattern }) =>
      clean.replace(pattern, (...found: unknown[]) => `${keptOf(found.at(-1))}${redacted}`),
    text,
  );
}

function keptOf(groups: unknown): string {
  return isJsonObject(groups) && typeof groups.kept === 'string' ? groups.kept : '';
}

/** Fields that hold nothing but a secret. */
const secretField =
  /^(?:(?:proxy-)?authorization|(?:x[-_])?(?:goog[-_])?api[-_]?key|(?:access|refresh|auth|session|id)[-_]?token|client[-_]?secret|secret(?:[-_]access)?[-_]?key|password|passwd|(?:set-)?cookie)$/i;

/** A copy of a JSON value with every secret in it redacted, by its shape or by its field's name. */
export function redactJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const isSecret = typeof inner === 'string' && inner !== '' && secretField.test(name);
    return [redactSecrets(name), isSecret ? redacted : redactJson(inner)] as const;
  });
  return Object.fromEntries(entries);
}
