import type { JsonObject } from '@forge/core';
import type { ModelError } from '../wire/model-error.ts';
import type { WireError } from '../wire/wire-error.ts';
import type { Line } from './client-options.ts';
import type { Deadlines } from './deadlines.ts';
import { publicUrl } from './join-url.ts';
import { networkError } from './network-error.ts';
import { type Exchange, openExchange } from './open-exchange.ts';
import { readBody } from './read-body.ts';
import { redactError } from './redact.ts';

/** Enough of an error's body to understand it. */
const maxErrorBytes = 64 * 1024;

/**
 * Sends a request and gives the response if it is a success. Everything else is thrown: what the
 * wire makes of an error response, what became of the connection, or the caller's abort reason.
 */
export async function sendRequest(
  line: Line,
  request: { readonly url: URL; readonly body?: JsonObject; readonly accept: string },
  deadlines: Deadlines,
): Promise<Exchange> {
  const { url } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const where = publicUrl(url);
  const headers = {
    accept: request.accept,
    'accept-encoding': 'identity',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...line.headers,
  };
  let exchange: Exchange;
  try {
    const method = body === undefined ? 'GET' : 'POST';
    exchange = await openExchange(
      line.transport,
      { method, url, headers, ...(body !== undefined && { body }) },
      deadlines.signal,
    );
  } catch (error) {
    throw blame(error, deadlines, where, false);
  }
  const received = { ...exchange, body: blaming(exchange.body, deadlines, where) };
  if (exchange.status >= 200 && exchange.status < 300) return received;
  const { text } = await readBody(received.body, maxErrorBytes);
  throw refusal(line, line.wire.decodeError({ ...exchange, body: text }));
}

/** An error the server told us, for people: no secrets, and what to do about a refused key. */
export function refusal(line: Line, error: WireError): ModelError {
  const hinted =
    error.kind === 'auth' && line.authHint !== undefined
      ? { ...error, message: `${error.message} ${line.authHint}` }
      : error;
  return redactError(hinted, line.secrets);
}

async function* blaming(
  body: AsyncIterable<Uint8Array>,
  deadlines: Deadlines,
  where: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw blame(error, deadlines, where, true);
  }
}

/** The reason we stopped ourselves if we did (abort, timeout), else what the connection died of. */
function blame(error: unknown, { signal }: Deadlines, where: string, begun: boolean): unknown {
  return signal.aborted ? signal.reason : networkError(error, { where, begun });
}
