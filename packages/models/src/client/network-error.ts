import { ModelError } from '../wire/model-error.ts';
import type { WireErrorKind } from '../wire/wire-error.ts';

const refusals: readonly {
  readonly code: RegExp;
  readonly kind: WireErrorKind;
  readonly says: (where: string) => string;
}[] = [
  {
    code: /^ECONNREFUSED$/,
    kind: 'unavailable',
    says: (where) => `Nothing listens at ${where}. Is the server running?`,
  },
  {
    code: /^(ENOTFOUND|EAI_\w+)$/,
    kind: 'unavailable',
    says: (where) => `The host of ${where} could not be found. Check the base URL and the network.`,
  },
  {
    code: /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    kind: 'timeout',
    says: (where) => `No connection to ${where} in time (connect timeout).`,
  },
  {
    code: /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/,
    kind: 'unavailable',
    says: (where) => `The secure connection to ${where} failed. Check its certificate.`,
  },
  {
    code: /^(HPE_|UND_ERR_(RES_|RESPONSE|HEADERS_OVERFLOW))/,
    kind: 'bad_response',
    says: (where) => `${where} did not answer in HTTP as it should.`,
  },
  {
    code: /^UND_ERR_(INVALID_ARG|REQ_)/,
    kind: 'bad_request',
    says: (where) => `The request to ${where} cannot be sent: a header or the URL is not valid.`,
  },
];

/** A failure of the connection in our terms. Anything that is already a `ModelError` stays. */
export function networkError(
  error: unknown,
  { where, begun }: { readonly where: string; readonly begun: boolean },
): ModelError {
  if (error instanceof ModelError) return error;
  const code = codeOf(error);
  const known = refusals.find((refusal) => refusal.code.test(code));
  const suffix = code === '' ? '' : ` (${code})`;
  if (known !== undefined) {
    return new ModelError(
      { kind: known.kind, message: known.says(where) + suffix },
      { cause: error },
    );
  }
  // Whatever it was, after the first byte it left us with half a reply.
  return begun
    ? new ModelError(
        { kind: 'bad_response', message: `The reply of ${where} stopped in the middle${suffix}.` },
        { cause: error },
      )
    : new ModelError(
        { kind: 'unavailable', message: `The connection to ${where} failed${suffix}.` },
        { cause: error },
      );
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
