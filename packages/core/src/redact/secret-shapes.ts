/** A secret that is one long word, known by how it begins. */
export interface TokenShape {
  readonly kind: string;
  readonly prefixes: readonly string[];
  /** What has to follow the prefix, up to the end of the word. */
  readonly rest: RegExp;
}

/** Shorter words are not looked at: no key is as short. */
export const shortestToken = 20;

const letters = (least: number) => new RegExp(`^[A-Za-z0-9]{${least},}$`);
/** Some words begin like a key; what people write has no sixteen letters and digits without a pause. */
const mixed = /^(?=[\w-]*\d)(?=[\w-]*[A-Za-z0-9]{16})[\w-]{17,}$/;

/** The first that fits counts. Sources: the providers' own documents and their secret scanners. */
export const tokenShapes: readonly TokenShape[] = [
  { kind: 'anthropic-key', prefixes: ['sk-ant-'], rest: mixed },
  { kind: 'openrouter-key', prefixes: ['sk-or-'], rest: mixed },
  { kind: 'openai-key', prefixes: ['sk-'], rest: mixed },
  { kind: 'google-key', prefixes: ['AIza'], rest: /^[\w-]{35,}$/ },
  { kind: 'groq-key', prefixes: ['gsk_'], rest: letters(20) },
  { kind: 'huggingface-token', prefixes: ['hf_'], rest: letters(30) },
  {
    kind: 'model-key',
    prefixes: ['xai-', 'pplx-', 'nvapi-', 'tgp_v1_', 'r8_', 'csk-', 'fw_'],
    rest: mixed,
  },
  {
    kind: 'github-token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    rest: letters(36),
  },
  { kind: 'github-token', prefixes: ['github_pat_'], rest: /^\w{22,}$/ },
  { kind: 'gitlab-token', prefixes: ['glpat-'], rest: /^[\w-]{20,}$/ },
  {
    kind: 'slack-token',
    prefixes: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    rest: /^(?=[\w-]*\d)[\w-]{15,}$/,
  },
  {
    kind: 'stripe-key',
    prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'],
    rest: letters(16),
  },
  { kind: 'npm-token', prefixes: ['npm_'], rest: letters(36) },
  { kind: 'aws-key', prefixes: ['AKIA', 'ASIA'], rest: /^[A-Z2-7]{16}$/ },
  { kind: 'api-key', prefixes: ['key-'], rest: /^(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}$/ },
];

/**
 * What may stand right before a secret though it ends in a letter: an escape of JSON, of an address,
 * or of a terminal's colours.
 */
export const escapes = String.raw`\\(?:[nrtbf]|u[\dA-Fa-f]{4})|%[\dA-Fa-f]{2}|\[[\d;]{0,12}m`;
const wordStart = String.raw`(?:(?<![\w-])|(?<=${escapes}))`;

/** Every secret is part of so many characters without a space, or has a head that says so. */
export const shortestRun = 16;

/**
 * A secret that is known by what stands around it. A text is searched for it only if `isSuspicious`
 * finds what all of a kind have in common: a new one has to be known there too.
 */
export interface ContextShape {
  readonly kind: string;
  /** Global. The group `kept` stays in front; the group `secret` is what `isSecret` is asked about. */
  readonly pattern: RegExp;
  readonly isSecret?: (found: Readonly<Record<string, string | undefined>>) => boolean;
}

export const contextShapes: readonly ContextShape[] = [
  {
    kind: 'private-key',
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?=-----(?:BEGIN|END) )|$)/g,
    isSecret: ({ secret = '' }) => isKeyMaterial(secret),
  },
  {
    kind: 'jwt',
    pattern: new RegExp(String.raw`${wordStart}eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`, 'g'),
  },
  {
    kind: 'google-token',
    pattern: new RegExp(String.raw`${wordStart}ya29\.[\w-]{20,}`, 'g'),
  },
  {
    kind: 'aws-secret',
    pattern:
      /(?<kept>(?:secret_?access_?key|session_?token)\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)(?<secret>[A-Za-z0-9/+]{40,}={0,2})/gi,
  },
  {
    kind: 'bearer',
    pattern: /(?<kept>\bbearer {1,8})(?<secret>[\w.~+/-]{16,}={0,2})/gi,
    isSecret: ({ secret = '' }) => /\d/.test(secret) || /^[\w+~]{20,}$/.test(secret),
  },
  {
    kind: 'basic',
    pattern: /(?<kept>\bbasic {1,8})(?<secret>[A-Za-z0-9+/]{16,}={0,2})/gi,
    isSecret: ({ secret = '' }) => isCredentials(secret),
  },
  {
    kind: 'url-password',
    pattern:
      /(?<=[A-Za-z0-9])(?<kept>:\/\/(?<user>[^\s/?#@:"'`<>\\]{0,200}):)(?<secret>[^\s/?#"'`<>\\]{1,200})(?=@)/g,
    isSecret: ({ user, secret = '' }) => user !== secret && !isPlaceholder(secret),
  },
];

/** Whether a key follows its head, after some lines about it or cut off: in a program or a manual none does. */
function isKeyMaterial(text: string): boolean {
  return (
    /^[\s\S]{0,300}?[A-Za-z0-9+/]{32}/.test(text) || /^[\s\S]{0,300}?[A-Za-z0-9+/]{16,}$/.test(text)
  );
}

/** A name and a password in base64, and not any word of those letters. */
function isCredentials(text: string): boolean {
  try {
    return /^[\x21-\x7e]{0,200}:[\x20-\x7e]{1,200}$/.test(atob(text));
  } catch {
    return false;
  }
}

/** Passwords nobody keeps secret: in examples, in compose files, or left to be filled in. */
function isPlaceholder(password: string): boolean {
  return (
    /^(?:[$%{[(*]|x{3,}|\.{3})/i.test(password) ||
    /^(?:pass(?:word|wd)?|pwd|secret|example|change-?me|test|dev|postgres|mysql|redis|root|admin|guest|user|your[\w-]*)$/i.test(
      password,
    )
  );
}
