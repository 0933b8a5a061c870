import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { ForgeError, messageOf } from '@forge/core';
import { isPublicAddress } from '@forge/sandbox';
import { Agent, fetch, type Response } from 'undici';
import { isListed, type ReadPolicy } from './fetch-policy.ts';

export interface FetchRequest {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS';
  readonly policy: ReadPolicy;
  /** Default true. False gives the redirect itself. */
  readonly follow?: boolean;
}

export interface Fetched {
  /** The address that answered, after redirects. */
  readonly url: string;
  /** Where it sends to, if it does. */
  readonly redirect?: string;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The body went on. */
  readonly cut: boolean;
}

/**
 * Fetches an address a model chose. A name is resolved once, every address it stands for is checked,
 * and the connection goes to one of those: a name that changes its mind in between gains nothing.
 * Redirects are followed one by one through the same gate. `not_allowed` for what is refused.
 */
export async function guardedFetch(request: FetchRequest, signal: AbortSignal): Promise<Fetched> {
  const { policy, follow = true } = request;
  const { timeoutMs = 30_000, maxRedirects = 5 } = policy;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let url = readAddress(request.url, policy);
  let { method } = request;
  try {
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const reply = await fetchOnce({ url, method, policy }, limit);
      if (reply.redirect === undefined || !follow) return reply;
      if (reply.status === 303 && method !== 'HEAD') method = 'GET';
      url = readAddress(new URL(reply.redirect, url).href, policy);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) {
      throw new ForgeError('tool_failed', `${url.href} did not answer within ${timeoutMs} ms.`);
    }
    throw (
      refusalIn(error) ??
      new ForgeError('tool_failed', `${url.href} could not be reached: ${reasonOf(error)}.`, {
        cause: error,
      })
    );
  }
  throw new ForgeError('tool_failed', `${request.url} redirects more than ${maxRedirects} times.`);
}

/** An address that may be asked at all; where its name leads is looked at when connecting. */
function readAddress(text: string, policy: ReadPolicy): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused(`${JSON.stringify(text.slice(0, 200))} is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('An address with a user name or password in it is not fetched.');
  }
  if (policy.hosts !== undefined && !isListed(url, policy.hosts)) {
    const names = policy.hostNames.slice(0, 20).join(', ');
    throw refused(`${url.host} is not one of the hosts that may be fetched: ${names}.`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) checkAddress({ url, address: host, policy });
  return url;
}

function checkAddress({
  url,
  address,
  policy: { privateHosts },
}: {
  readonly url: URL;
  readonly address: string;
  readonly policy: ReadPolicy;
}): void {
  if (isPublicAddress(address) || isListed(url, privateHosts)) return;
  throw refused(
    `${url.host} is at ${address}, which is a private, local or reserved address. Only public addresses may be fetched.`,
  );
}

async function fetchOnce(
  {
    url,
    method,
    policy,
  }: { readonly url: URL; readonly method: FetchRequest['method']; readonly policy: ReadPolicy },
  signal: AbortSignal,
): Promise<Fetched> {
  const dispatcher = new Agent({ connect: { lookup: checkedLookup(url, policy) } });
  try {
    const response = await fetch(url, {
      method,
      dispatcher,
      signal,
      redirect: 'manual',
      headers: {
        'user-agent': 'forge',
        accept: 'text/html,application/json,text/*;q=0.9,*/*;q=0.5',
      },
    });
    const { status, headers } = response;
    const location = status >= 301 && status <= 308 ? headers.get('location') : null;
    const contentType = headers.get('content-type') ?? '';
    const body = await readBody(response, policy.maxBytes ?? 1024 * 1024);
    const redirect = location === null ? {} : { redirect: location };
    return { url: url.href, status, contentType, ...redirect, ...body };
  } finally {
    // Also ends a body that nobody read to its end.
    await dispatcher.destroy();
  }
}

/** The resolver of one connection: gives addresses that were checked, or none. */
function checkedLookup(url: URL, policy: ReadPolicy): LookupFunction {
  const { resolve = (host: string): Promise<LookupAddress[]> => resolveName(host, { all: true }) } =
    policy;
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        try {
          for (const { address } of addresses) checkAddress({ url, address, policy });
          const [first] = addresses;
          if (first === undefined) throw new Error(`${host} has no address`);
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        } catch (error) {
          callback(error instanceof Error ? error : new Error(messageOf(error)), '');
        }
      },
      (error: Error) => callback(error, ''),
    );
  };
}

async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes: Uint8Array = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

/** Our own refusal inside what the client threw. */
function refusalIn(error: unknown): ForgeError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (ForgeError.is(at)) return at;
  return undefined;
}

/** The innermost reason: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return messageOf(at);
}

function refused(message: string): ForgeError {
  return new ForgeError('not_allowed', message);
}
