import { isIPv4, isIPv6 } from 'node:net';

/** The network of a client, as rate limits count it. */
export interface Network {
  /** A household or device: an IPv4 address, or the /64 of an IPv6 one. */
  prefix: string;
  /** The provider's network around it: the /24 of an IPv4 address, the /48 of an IPv6 one. */
  site: string;
}

/**
 * The networks of an address from {@link networkOf}. The owner of one IPv6 address controls the 2^64
 * addresses of its network, so counting single ones would be pointless.
 */
export function networksAround(address: string): Network {
  const [plain = ''] = address.split('%', 1); // without the zone, as in fe80::1%eth0
  if (isIPv4(plain)) return { prefix: plain, site: `${plain.split('.').slice(0, 3).join('.')}.0/24` };
  if (!isIPv6(plain)) return { prefix: address, site: address };
  const groups = groupsOf(plain);
  return { prefix: `${groups.slice(0, 4).join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` };
}

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const missing = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array.from({ length: missing }, () => '0'), ...(after ?? [])];
}
