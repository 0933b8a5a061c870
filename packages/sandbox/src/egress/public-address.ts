import { BlockList, isIP } from 'node:net';

/** Ranges that are not the public internet. IANA special-purpose registries, IPv4 and IPv6. */
const reserved: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // This network.
  ['10.0.0.0', 8], // Private.
  ['100.64.0.0', 10], // Behind a carrier's translation.
  ['127.0.0.0', 8], // Loopback.
  ['169.254.0.0', 16], // Link-local: the metadata services of clouds.
  ['172.16.0.0', 12], // Private.
  ['192.0.0.0', 24], // Protocol assignments.
  ['192.0.2.0', 24], // Documentation.
  ['192.88.99.0', 24], // Relays of 6to4.
  ['192.168.0.0', 16], // Private.
  ['198.18.0.0', 15], // Benchmarks.
  ['198.51.100.0', 24], // Documentation.
  ['203.0.113.0', 24], // Documentation.
  ['224.0.0.0', 4], // Multicast.
  ['240.0.0.0', 4], // Reserved, broadcast.
  // Only 2000::/3 is given out for use; what in it leads elsewhere follows.
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23], // Protocol assignments, Teredo among them.
  ['2001:db8::', 32], // Documentation.
  ['2002::', 16], // 6to4: holds an address of IPv4.
  ['3fff::', 20], // Documentation.
];

/** One list for each family: a rule for IPv6 would also catch IPv4, which is looked up as mapped. */
const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [address, prefix] of reserved) {
  const family = familyOf(address);
  lists[family].addSubnet(address, prefix, family);
}

/** Whether an address is on the public internet: not this machine, its network, or anything special. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  return isIP(address) !== 0 && !address.includes('%') && !lists[family].check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
