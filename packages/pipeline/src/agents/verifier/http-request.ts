import { messageOf, neutralise } from '@forge/core';
import type { HttpCheck } from '../../contracts.ts';

export interface HttpLimits {
  /** For all of a request, redirects and body included. Default 15 s. */
  readonly timeoutMs?: number;
  /** Of a body that are read. Default 256 KB. */
  readonly maxBytes?: number;
}

export interface HttpAnswer {
  readonly passed: boolean;
  /** What came back, in a line. */
  readonly got: string;
}

const shownChars = 300;
const mostRedirects = 5;

/**
 * Asks the deployed service, and it alone: a path never leads to another host, and a redirect to one
 * is not followed. That it does not answer is an answer.
 */
export async function askService(
  { url, check }: { readonly url: string; readonly check: HttpCheck },
  signal: AbortSignal,
  { timeoutMs = 15_000, maxBytes = 256 * 1024 }: HttpLimits = {},
): Promise<HttpAnswer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const { response, target } = await followAtHome(addressOf(url, check.path), check, limit);
    const { text, cut } = await readBody(response, maxBytes);
    return judge({ check, response, target, text, cut });
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    return { passed: false, got: `could not be asked: ${oneLine(why)}` };
  }
}

/** Below the service's own address, whatever the path looks like. */
export function addressOf(url: string, path: string): URL {
  const service = new URL(url);
  const folder = service.pathname.replace(/\/+$/, '');
  const address = new URL(`${service.origin}${folder}${path}`);
  if (address.origin !== service.origin) {
    throw new Error(`${path} does not lead to ${service.origin}`);
  }
  return address;
}

async function followAtHome(
  start: URL,
  { method, headers, body, status }: HttpCheck,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly target: URL }> {
  // Who expects a redirect wants to see it, and a request that changes something is sent once.
  const follows = (method === 'GET' || method === 'HEAD') && (status < 300 || status > 399);
  let target = start;
  for (let hop = 0; ; hop++) {
    const response = await fetch(target, {
      method,
      redirect: 'manual',
      signal,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
    });
    const location = response.headers.get('location');
    const moved = response.status >= 301 && response.status <= 308 && location !== null;
    if (!moved || !follows || hop >= mostRedirects) return { response, target };
    const next = URL.parse(location, target.href);
    if (next === null || next.origin !== start.origin) return { response, target };
    await response.body?.cancel();
    target = next;
  }
}

function judge({
  check,
  response,
  target,
  text,
  cut,
}: {
  readonly check: HttpCheck;
  readonly response: Response;
  readonly target: URL;
  readonly text: string;
  readonly cut: boolean;
}): HttpAnswer {
  const faults: string[] = [];
  if (response.status !== check.status) faults.push(`expected ${check.status}`);
  for (const words of check.includes ?? []) {
    if (text.includes(words)) continue;
    faults.push(`the body lacks ${JSON.stringify(words.slice(0, 100))}`);
  }
  if (cut && faults.length > 0) faults.push('only the beginning of the body was read');
  const location = response.headers.get('location');
  const moved = location === null ? '' : `, to ${location}`;
  const said = text === '' ? 'no body' : `body: ${text.slice(0, shownChars)}`;
  const head = `${target.pathname}${target.search} answered ${response.status}${moved}`;
  const why = faults.length === 0 ? '' : ` (${faults.join('; ')})`;
  return { passed: faults.length === 0, got: oneLine(`${head}${why}, ${said}`) };
}

async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return { text: new TextDecoder().decode(bytes), cut: size > maxBytes };
}

function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, ' ').trim().slice(0, 600).toWellFormed();
}

/** The innermost reason: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return messageOf(at);
}
