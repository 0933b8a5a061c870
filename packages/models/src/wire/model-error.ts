import { ForgeError } from '@forge/core';
import type { WireError, WireErrorKind } from './wire-error.ts';

const retryable: ReadonlySet<WireErrorKind> = new Set([
  'rate_limited',
  'overloaded',
  'unavailable',
  'timeout',
  'bad_response',
]);

/** A call to a model that brought no reply. `kind` says why, `retryable` whether trying again may help. */
export class ModelError extends ForgeError {
  readonly kind: WireErrorKind;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly body: string | undefined;

  constructor(error: WireError, options?: { cause?: unknown }) {
    super('model_failed', error.message, options);
    this.name = 'ModelError';
    this.kind = error.kind;
    this.status = error.status;
    this.retryAfter = error.retryAfter;
    this.body = error.body;
  }

  get retryable(): boolean {
    return retryable.has(this.kind);
  }
}
