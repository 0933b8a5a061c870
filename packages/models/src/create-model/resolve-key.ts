import type { ReadVariable } from '../config.ts';
import { ModelError } from '../wire/model-error.ts';
import type { ModelName } from './parse-model-name.ts';

/** The headers that carry the key, and what to say when it is refused. A missing key is an error. */
export function resolveKey(
  { provider, profile }: ModelName,
  given: string | undefined,
  readVariable: ReadVariable,
): { readonly headers: Readonly<Record<string, string>>; readonly hint: string | undefined } {
  const { keyVariable, needsKey = false, keyHeader } = profile;
  const key = given || (keyVariable === undefined ? undefined : readVariable(keyVariable));
  const hint =
    keyVariable === undefined ? undefined : `Check ${keyVariable}, or the option apiKey.`;
  if (key === undefined && needsKey) {
    throw new ModelError({
      kind: 'auth',
      message: `${provider} needs a key. Set ${keyVariable}, or give the option apiKey.`,
    });
  }
  if (key === undefined) return { headers: {}, hint };
  const headers: Record<string, string> =
    keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key };
  return { headers, hint };
}
