import { isJsonObject } from '@forge/core';
import { ModelError } from '../wire/model-error.ts';
import type { WireReply } from '../wire/wire.ts';
import type { Line } from './client-options.ts';
import type { Exchange } from './open-exchange.ts';
import { readBody } from './read-body.ts';
import { refusal } from './send-request.ts';

const maxKeptBody = 64 * 1024;

/** A reply that comes in one piece. */
export async function hearWhole(line: Line, exchange: Exchange): Promise<WireReply> {
  const { parsed, text } = await hearJson(line, exchange);
  try {
    return line.wire.decodeReply(parsed);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw disguisedError(line, exchange, parsed, text) ?? withBody(error, text);
  }
}

/** The JSON of a response body, bounded. */
export async function hearJson(
  line: Line,
  exchange: Exchange,
): Promise<{ readonly parsed: unknown; readonly text: string }> {
  const { text, cut } = await readBody(exchange.body, line.maxReplyBytes);
  if (cut) {
    const message = `The reply is larger than ${line.maxReplyBytes} bytes.`;
    throw withBody(new ModelError({ kind: 'bad_response', message }), text);
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return { parsed, text };
  } catch (cause) {
    const { kind, message } = unreadable(exchange, text);
    throw withBody(new ModelError({ kind, message }, { cause }), text);
  }
}

/** What to say about a body that is not what the wire speaks. */
export function unreadable(exchange: Exchange, text: string) {
  const what = isPage(exchange, text)
    ? 'a web page instead of a reply. Check the base URL'
    : text.trim() === ''
      ? 'an empty body'
      : 'something that is not JSON';
  const message = `The server answered with ${what} (status ${exchange.status}).`;
  return { kind: 'bad_response' as const, message };
}

export function isPage(exchange: Exchange, text = ''): boolean {
  return /html/i.test(exchange.headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(text);
}

/** Some gateways send their errors with a success status; the body tells. */
function disguisedError(line: Line, { headers }: Exchange, parsed: unknown, body: string) {
  if (!isJsonObject(parsed) || !parsed.error) return undefined;
  const said = isJsonObject(parsed.error) ? parsed.error.code : undefined;
  const code = typeof said === 'string' ? Number(said) : said;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 502;
  return refusal(line, line.wire.decodeError({ status, headers, body }));
}

function withBody(error: ModelError, body: string): ModelError {
  const { kind, message, status, retryAfter, cause } = error;
  return new ModelError(
    { kind, message, status, retryAfter, body: error.body ?? body.slice(0, maxKeptBody) },
    { cause },
  );
}
