import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { WireError } from '@forge/models';

/** What is wrong with where a request comes from, or nothing. */
export type CallerCheck = (request: {
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMinor: number;
}) => WireError | undefined;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Keeps web pages out of a proxy that asks for no key. A browser lets any page send requests to
 * 127.0.0.1, and the proxy may hold a key that costs money, so without a key of its own
 *
 * - a request a page sent (it has an `Origin`) is taken only from pages of this machine, from the
 *   proxy's own page, and from programs that are no web pages (`vscode-webview:`,
 *   `chrome-extension:`, `tauri:`). `null` is refused: any page can send that.
 * - where the proxy listens on loopback, the `Host` has to be a name nobody can buy: an address,
 *   a name without dots, `*.localhost`, `*.internal`, or the host the proxy was given. Others are
 *   how a page gets around the rule above (DNS rebinding).
 *
 * With a key both are allowed: who knows the key may come from anywhere.
 */
export function createCallerCheck({
  host,
  apiKey,
}: {
  /** What the proxy listens on. */
  readonly host: string;
  readonly apiKey?: string | undefined;
}): CallerCheck {
  const isOpen = apiKey !== undefined;
  const checksHost = !isOpen && isLoopback(host);
  // A client sends the same `Host` each time; the few there are need not be read again.
  const known = new Set<string>();

  return ({ headers, httpVersionMinor }) => {
    const named = headers.host;
    if (named === undefined || named === '') {
      return httpVersionMinor === 0 ? undefined : noHost;
    }
    if (checksHost && !known.has(named)) {
      const name = hostOf(named);
      if (name !== host.toLowerCase() && !isUnbuyable(name)) return wrongHost(named);
      if (known.size < 64) known.add(named);
    }
    const { origin } = headers;
    if (isOpen || origin === undefined || isAllowed(origin, named)) return undefined;
    return wrongOrigin(origin);
  };
}

function isAllowed(origin: string, named: string): boolean {
  if (origin === 'null') return false;
  const scheme = /^(https?):\/\//i.exec(origin);
  if (scheme === null) return true;
  const authority = origin.slice(scheme[0].length).toLowerCase();
  return authority === named.toLowerCase() || isLoopback(hostOf(authority));
}

/** Whether only this machine can be meant by that name or address. */
export function isLoopback(host: string): boolean {
  const name = bare(host.toLowerCase());
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  const family = isIP(name);
  return family !== 0 && loopback.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

function isUnbuyable(name: string): boolean {
  return (
    !name.includes('.') ||
    isIP(bare(name)) !== 0 ||
    name.endsWith('.localhost') ||
    name.endsWith('.internal')
  );
}

/** The host of `host:port`, in lower case. */
function hostOf(authority: string): string {
  return authority.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

function bare(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

const noHost: WireError = {
  kind: 'bad_request',
  status: 400,
  message: 'The request names no host. HTTP/1.1 wants a Host header.',
};

function wrongHost(named: string): WireError {
  const message = `This proxy listens on this machine only and does not answer to the name "${named.slice(0, 100)}". Use 127.0.0.1 or localhost, or start it with --api-key to be asked under any name.`;
  return { kind: 'auth', status: 403, message };
}

function wrongOrigin(origin: string): WireError {
  const message = `Pages of ${origin.slice(0, 100)} may not use this proxy without a key. Start it with --api-key and give that key to the page.`;
  return { kind: 'auth', status: 403, message };
}
