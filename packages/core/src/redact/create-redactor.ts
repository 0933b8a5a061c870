import { isSuspicious } from './is-suspicious.ts';
import {
  type ContextShape,
  contextShapes,
  escapes,
  shortestToken,
  tokenShapes,
} from './secret-shapes.ts';

/** Takes secrets out of texts. */
export interface Redactor {
  /**
   * The text with `[redacted:kind]` in the place of each secret; the very same text if it has none.
   * To redact again changes nothing. Linear in the text.
   */
  redact(text: string): string;
}

export interface RedactorOptions {
  /**
   * Secrets by their exact value, such as configured keys, whatever they look like. Values of fewer
   * than 6 characters are not looked for: they are found in texts that have nothing to do with them.
   */
  readonly values?: readonly string[];
}

const shortestValue = 6;

/**
 * A redactor that knows the shapes of keys, and the values it is given.
 *
 * @example
 * createRedactor().redact('key=ghp_…'); // 'key=[redacted:github-token]'
 */
export function createRedactor({ values = [] }: RedactorOptions = {}): Redactor {
  const known = writings(values);
  return {
    redact(text) {
      let clean = text;
      for (const value of known) {
        if (clean.includes(value)) clean = clean.replaceAll(value, mark('configured'));
      }
      if (!isSuspicious(clean)) return clean;
      for (const shape of contextShapes) clean = replace(clean, shape);
      return redactTokens(clean);
    },
  };
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

/** A secret as it is, and as it stands in JSON and in an address. The longest first: one may hold another. */
function writings(values: readonly string[]): readonly string[] {
  const all = values
    .filter((value) => value.length >= shortestValue)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value.toWellFormed()),
    ]);
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}

function replace(text: string, { kind, pattern, isSecret }: ContextShape): string {
  return text.replace(pattern, (found: string, ...more: unknown[]) => {
    const groups = readGroups(more.at(-1));
    if (isSecret !== undefined && !isSecret(groups)) return found;
    return `${groups.kept ?? ''}${mark(kind)}`;
  });
}

function readGroups(last: unknown): Readonly<Record<string, string | undefined>> {
  return typeof last === 'object' && last !== null ? { ...last } : {};
}

/** Every word of at least `shortestToken` that is a secret by its beginning. */
function redactTokens(text: string): string {
  return text.replace(longWords, (found, escaped: string | undefined, word: string) => {
    const kind = kindOf(word);
    if (kind !== undefined) return `${escaped ?? ''}${mark(kind)}`;
    // No escape after all, as in C:\npm_…
    const whole = escaped === undefined ? undefined : kindOf(found.slice(1));
    return whole === undefined ? found : `${found.slice(0, 1)}${mark(whole)}`;
  });
}

const longWords = new RegExp(`(?:(${escapes})|(?<![\\w-]))([\\w-]{${shortestToken},})`, 'g');

function kindOf(word: string): string | undefined {
  for (const { kind, prefixes, rest } of tokenShapes) {
    const prefix = prefixes.find((each) => word.startsWith(each));
    if (prefix !== undefined && rest.test(word.slice(prefix.length))) return kind;
  }
  return undefined;
}
