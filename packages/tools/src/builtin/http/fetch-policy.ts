import type { LookupAddress } from 'node:dns';
import { findRule, type HostRule, parseHostRule, plainHost } from '@forge/sandbox';

/** Where the HTTP tools may go. They run beside the sandbox, so this is their only boundary. */
export interface FetchPolicy {
  /**
   * Only these hosts: `example.org`, `*.example.org` (those below it), `example.org:8443`. Without a
   * port: those of HTTP and HTTPS. Default: any host with a public address.
   */
  readonly hosts?: readonly string[];
  /**
   * Hosts that may have a private or local address, written the same way, such as
   * `localhost:3000`. No other host may lead to one.
   */
  readonly privateHosts?: readonly string[];
  /** Bytes read of a body, unpacked. Default 1 MB. */
  readonly maxBytes?: number;
  /** Milliseconds for all of a call, redirects and body included. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default 5; each is checked like the first address. */
  readonly maxRedirects?: number;
  /** Names to addresses. Default: the machine's resolver. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** A policy whose hosts were read. `invalid_options` if one is none. */
export interface ReadPolicy extends Omit<FetchPolicy, 'hosts' | 'privateHosts'> {
  readonly hosts: readonly HostRule[] | undefined;
  /** As they were written, for messages. */
  readonly hostNames: readonly string[];
  readonly privateHosts: readonly HostRule[];
}

export function readPolicy(policy: FetchPolicy): ReadPolicy {
  const privateHosts = (policy.privateHosts ?? []).map(parseHostRule);
  const hosts = policy.hosts?.map(parseHostRule);
  // A host that may be private is one that may be fetched.
  return {
    ...policy,
    privateHosts,
    hosts: hosts && [...hosts, ...privateHosts],
    hostNames: policy.hosts ?? [],
  };
}

/** Whether an address is of a host that the rules name. */
export function isListed(url: URL, rules: readonly HostRule[]): boolean {
  const host = plainHost(url.hostname);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return host !== undefined && findRule(rules, { host, port }) !== undefined;
}
