import { isIP } from 'node:net';
import { ForgeError } from '@forge/core';

/** Where a request may go: a name, all names below one (`*.example.org`), or an address. */
export interface HostRule {
  readonly host: string;
  /** The names below the host, and not itself. */
  readonly below: boolean;
  /** Undefined: the ports of HTTP and HTTPS. */
  readonly port?: number;
}

const webPorts = [80, 443];

/** Reads `example.org`, `*.example.org`, `host:8443`, `10.0.0.7:80`, `[::1]:8080`. */
export function parseHostRule(text: string): HostRule {
  const [, name, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const below = name?.startsWith('*.') ?? false;
  const host = name === undefined ? undefined : plainHost(below ? name.slice(2) : name);
  const port = digits === undefined ? undefined : Number(digits);
  const portFits = port === undefined || (port > 0 && port < 65_536);
  if (host === undefined || !portFits || (below && isIP(host) !== 0)) {
    throw new ForgeError(
      'invalid_options',
      `${JSON.stringify(text)} is no host that can be allowed. It takes "example.org", "*.example.org" or "example.org:8443".`,
    );
  }
  return { host, below, ...(port === undefined ? {} : { port }) };
}

/**
 * The one way to write a host: lower case, no dot at the end, no brackets. Undefined for what is
 * none: with odd characters, or an address in a form that programs read differently (`127.1`,
 * `0x7f.1`, `2130706433`).
 */
export function plainHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(host) === 4) return host;
  if (isIP(host) === 6)
    return host !== text.toLowerCase() && !host.includes('%') ? host : undefined;
  if (text.length > 254) return undefined;
  const labels = host.replace(/\.$/, '').split('.');
  if (!labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))) {
    return undefined;
  }
  return /^\d/.test(labels.at(-1) ?? '') ? undefined : labels.join('.');
}

/** The rule that lets a plain host through on that port. */
export function findRule(
  rules: readonly HostRule[],
  to: { readonly host: string; readonly port: number },
): HostRule | undefined {
  return rules.find(({ host, below, port }) => {
    const fits = below ? to.host.endsWith(`.${host}`) : to.host === host;
    return fits && (port === undefined ? webPorts.includes(to.port) : port === to.port);
  });
}
