import { ForgeError, type ForgeErrorCode, messageOf } from '@forge/core';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { z } from 'zod';

/** Where the name of a ForgeError travels, because several share a status. */
const codeKey = 'forge-code';

/** Tells a container that is not there from a file that is not there. */
const missingKey = 'forge-missing';

export class MissingContainer extends ForgeError {
  constructor(id: string) {
    super('not_found', `There is no container ${id}. It may have been reaped.`);
  }
}

const statuses: Partial<Record<ForgeErrorCode, status>> = {
  invalid_options: status.INVALID_ARGUMENT,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  not_running: status.FAILED_PRECONDITION,
  not_a_file: status.FAILED_PRECONDITION,
  not_allowed: status.PERMISSION_DENIED,
  too_large: status.RESOURCE_EXHAUSTED,
  limit_reached: status.RESOURCE_EXHAUSTED,
  tool_timeout: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  sandbox_failed: status.UNAVAILABLE,
};

/** An error as a call ends with it. What is no ForgeError is our fault and tells nothing of us. */
export function toStatus(error: unknown): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const metadata = new Metadata();
  if (error instanceof StatusError) {
    metadata.set(codeKey, 'not_allowed');
    return { code: error.status, details: error.message, metadata };
  }
  if (error instanceof z.ZodError) {
    metadata.set(codeKey, 'invalid_options');
    const details = `The request is not as the .proto says: ${z.prettifyError(error)}`;
    return { code: status.INVALID_ARGUMENT, details, metadata };
  }
  const code = ForgeError.is(error) ? statuses[error.code] : undefined;
  if (!ForgeError.is(error) || code === undefined) {
    return {
      code: status.INTERNAL,
      details: 'The orchestrator failed. Its log says why.',
      metadata,
    };
  }
  metadata.set(codeKey, error.code);
  if (error instanceof MissingContainer) metadata.set(missingKey, 'container');
  return { code, details: error.message, metadata };
}

/** For the two statuses that have no ForgeError of their own. */
export class StatusError extends Error {
  readonly status: status.UNAUTHENTICATED | status.UNIMPLEMENTED;

  constructor(code: StatusError['status'], message: string) {
    super(message);
    this.status = code;
  }
}

const failureSchema = z.object({
  code: z.number(),
  details: z.string(),
  metadata: z.instanceof(Metadata).optional(),
});

const codes: Partial<Record<status, ForgeErrorCode>> = {
  [status.INVALID_ARGUMENT]: 'invalid_options',
  [status.NOT_FOUND]: 'not_found',
  [status.ALREADY_EXISTS]: 'already_exists',
  [status.FAILED_PRECONDITION]: 'not_running',
  [status.PERMISSION_DENIED]: 'not_allowed',
  [status.UNAUTHENTICATED]: 'not_allowed',
  [status.UNIMPLEMENTED]: 'not_allowed',
  [status.RESOURCE_EXHAUSTED]: 'limit_reached',
  [status.DEADLINE_EXCEEDED]: 'tool_timeout',
  [status.CANCELLED]: 'cancelled',
};

const knownCodes: ReadonlySet<string> = new Set(Object.keys(statuses));

/** A failed call as a ForgeError again, at the caller's end. */
export function fromStatus(error: unknown): ForgeError {
  if (ForgeError.is(error)) return error;
  const failure = failureSchema.safeParse(error);
  if (!failure.success) return new ForgeError('sandbox_failed', messageOf(error), { cause: error });
  const { code, details, metadata } = failure.data;
  const told = String(metadata?.get(codeKey)[0] ?? '');
  const known = isKnown(told) ? told : (codes[code as status] ?? 'sandbox_failed');
  // The client of gRPC ends what it says with a heading that nothing follows.
  const said = details.replace(/ Resolution note:\s*$/, '');
  return new ForgeError(known, said, { cause: error });
}

function isKnown(code: string): code is ForgeErrorCode {
  return knownCodes.has(code);
}

/** True for what `fromStatus` made of a `MissingContainer`. */
export function isMissingContainer(error: unknown): boolean {
  const failure = failureSchema.safeParse(error instanceof Error ? error.cause : undefined);
  return failure.data?.metadata?.get(missingKey)[0] === 'container';
}

/** True where no answer came: the server is gone, or was never there. */
export function isLostConnection(error: unknown): boolean {
  const failure = failureSchema.safeParse(error);
  if (!failure.success) return false;
  const { code, metadata } = failure.data;
  return code === status.UNAVAILABLE && metadata?.get(codeKey).length === 0;
}
