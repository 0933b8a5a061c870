import type { WireErrorKind } from '../wire-error.ts';

/** What a status means where the body does not say more. */
export function kindOfStatus(status: number | undefined): WireErrorKind {
  if (status === undefined) return 'unavailable';
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 413) return 'context_overflow';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (status >= 500 || status === 409 || status === 425 || status === 499) return 'unavailable';
  return status >= 400 ? 'bad_request' : 'bad_response';
}
