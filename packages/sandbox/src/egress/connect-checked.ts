import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { Turns } from '../process/turns.ts';
import { findRule, type HostRule, plainHost } from './host-rules.ts';
import { isPublicAddress } from './public-address.ts';

export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Why a host is not connected to. For people, and for the program that asked. */
export class EgressRefused extends Error {}

/** Node asks for names in the few threads that also read its files: slow names must not take them all. */
const lookups = new Turns(2);

const resolveByDns: Resolve = async (host, signal) => {
  if (!(await lookups.take(signal))) throw new Error(`${host} was not looked up in time.`);
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } finally {
    lookups.give();
  }
};

/**
 * Connects to a host the rules allow. Its name is resolved once, and the connection goes to the
 * address that was checked: a name that changes in between gains nothing. A name may not lead to this
 * machine, its network or a cloud's metadata; an address that is allowed by itself may.
 */
export async function connectChecked({
  host: written,
  port,
  rules,
  resolve = resolveByDns,
  signal,
}: {
  readonly host: string;
  readonly port: number;
  readonly rules: readonly HostRule[];
  readonly resolve?: Resolve | undefined;
  readonly signal: AbortSignal;
}): Promise<Socket> {
  const host = plainHost(written);
  if (host === undefined) throw new EgressRefused('That is not the name of a host.');
  const allows = (to: string) => findRule(rules, { host: to, port }) !== undefined;
  if (!allows(host)) {
    throw new EgressRefused(`${host}:${port} is not among the hosts that are allowed here.`);
  }
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host];
  const address = addresses.find((each) => isPublicAddress(each) || allows(each));
  if (address === undefined) {
    throw new EgressRefused(
      `${host} leads to a private address. Allow the address itself if that is meant.`,
    );
  }
  signal.throwIfAborted();
  const socket = connect({ host: address, port });
  const { promise, resolve: connected, reject } = Promise.withResolvers<void>();
  const onAbort = () => socket.destroy(new Error('The connection was given up.'));
  socket.once('connect', connected).once('error', reject);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
    return socket;
  } finally {
    socket.off('connect', connected).off('error', reject);
    signal.removeEventListener('abort', onAbort);
  }
}
