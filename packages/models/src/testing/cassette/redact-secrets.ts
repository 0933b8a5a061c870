import { createRedactor, isJsonObject, type JsonValue } from '@forge/core';

const redactor = createRedactor();

/** Fields that hold nothing but a secret. */
const secretField =
  /^(?:(?:proxy-)?authorization|(?:x[-_])?(?:goog[-_])?api[-_]?key|(?:access|refresh|auth|session|id)[-_]?token|client[-_]?secret|secret(?:[-_]access)?[-_]?key|password|passwd|(?:set-)?cookie)$/i;

/** A copy of a JSON value with every secret in it redacted, by its shape or by its field's name. */
export function redactJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactor.redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const isSecret = typeof inner === 'string' && inner !== '' && secretField.test(name);
    return [redactor.redact(name), isSecret ? '[redacted:field]' : redactJson(inner)] as const;
  });
  return Object.fromEntries(entries);
}
