import { createRedactor } from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import type { WireError } from '../wire/wire-error.ts';

const secretHeader = /^(authorization|proxy-authorization|(x-)?(goog-)?api-key)$/i;

/** The secrets among request headers, as a server might echo them in an error. */
export function secretsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => secretHeader.test(name))
    .map(([, value]) => value.replace(/^(Bearer|Basic)\s+/i, ''))
    .filter((secret) => secret.length >= 6);
}

/** The error without the secrets, whatever the server put into it. */
export function redactError(error: WireError, secrets: readonly string[]): ModelError {
  const redactor = createRedactor({ values: secrets });
  const clean = (text: string) => redactor.redact(text);
  const { kind, message, status, retryAfter, body } = error;
  return new ModelError(
    {
      kind,
      message: clean(message),
      status,
      retryAfter,
      body: body === undefined ? undefined : clean(body),
    },
    error instanceof Error ? { cause: error.cause } : undefined,
  );
}
