import { createHash } from 'node:crypto';
import { ForgeError, type Redactor } from '@forge/core';
import { asText } from '../as-text.ts';
import { factLimits, type NewFact } from './memory-store.ts';
import { wordsOf } from './words.ts';

/** A fact as it is kept: without secrets, with a key, and no longer than it may be. */
export function checkFact(
  fact: NewFact,
  redactor: Redactor | undefined,
): Required<Omit<NewFact, 'source'>> & { readonly source: string | null } {
  const clean = (text: string) => asText(redactor?.redact(text) ?? text);
  const value = clean(fact.value);
  const key = fact.key === undefined ? keyOf(value) : clean(fact.key);
  const scope = asText(fact.scope);
  const source = fact.source === undefined ? null : asText(fact.source);
  checkLength({ scope, key, value, ...(source !== null && { source }) });
  return { scope, key, value, source };
}

function checkLength(parts: { readonly [name in keyof NewFact]: string }): void {
  for (const name of ['scope', 'key', 'value', 'source'] as const) {
    const text = parts[name];
    if (text === undefined || (text.trim() !== '' && text.length <= factLimits[name])) continue;
    throw new ForgeError(
      'invalid_options',
      text.trim() === ''
        ? `The ${name} of a fact is empty. Give it some text.`
        : `The ${name} of a fact has ${text.length} characters; ${factLimits[name]} are allowed. Make it shorter.`,
    );
  }
}

/** The same words are the same fact, whatever stands between them. */
function keyOf(value: string): string {
  const words = wordsOf(value).join(' ');
  const hash = createHash('sha256').update(words === '' ? value : words);
  return `fact-${hash.digest('hex').slice(0, 12)}`;
}
