import { createRedactor, isJsonObject, type JsonValue } from '@forge/core';

const hidden = '••••';

/** Blocks whose values are as often secrets as not. */
const secretBlocks: ReadonlySet<string> = new Set(['env', 'headers', 'build_args']);
/** `apiKeyEnv` and `max_tokens` hold no secret: the name of a variable, and a number. */
const secretKey = /(?:password|passwd|secret|token|credentials?|api_?key|private_?key)$/i;

/** A value fit to be shown: what may be secret is hidden, `${env:NAME}` stays readable. */
export function maskSettings(value: JsonValue): JsonValue {
  const { redact } = createRedactor();
  const mask = (inner: JsonValue, isSecret: boolean): JsonValue => {
    if (typeof inner === 'string') return isSecret ? hide(inner) : withoutQuery(redact(inner));
    if (Array.isArray(inner)) return inner.map((each) => mask(each, isSecret));
    if (!isJsonObject(inner)) return isSecret && inner !== null ? hidden : inner;
    return Object.fromEntries(
      Object.entries(inner).map(([key, below]) => [
        key,
        mask(below, isSecret || secretBlocks.has(key) || secretKey.test(key)),
      ]),
    );
  };
  return mask(value, false);
}

const hide = (text: string) => (/\$\{env:\w+\}/.test(text) ? text : hidden);

/** Some services take their key in the query of an address. */
function withoutQuery(text: string): string {
  return /^https?:\/\/\S+\?/.test(text) ? `${text.slice(0, text.indexOf('?'))}?${hidden}` : text;
}
