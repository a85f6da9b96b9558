import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { config, isLoopback } from '#platform/runtime/config.server.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';

/*
 * Push services are outside, and their addresses come from browsers: only hosts of a list are asked, on https and its port, and
 * only where their name leads to a public address, which is looked up once, for the connection itself (threat-model.md T73).
 */

const LIMIT = 10 * SECOND;
const MAX_ANSWER = 64 * 1024;

const LOCAL = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv4');

/** Global unicast; of it, not what leads to IPv4 addresses, nor examples. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv6');

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0 || LOCAL.check(address, family)) return false;
  return family === 'ipv4' || GLOBAL.check(address, 'ipv6');
}

/** Whether the portal sends anything to this address of a browser. */
export function isPushService(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  if (!url || url.username !== '' || url.password !== '') return false;
  return config.pushServices.some((service) =>
    service.includes('://')
      ? service === url.origin
      : url.protocol === 'https:' &&
        url.port === '' &&
        isIP(url.hostname) === 0 &&
        (service.startsWith('*.') ? url.hostname.endsWith(service.slice(1)) : url.hostname === service),
  );
}

/** The code of the error for a name that leads to an address that is not public. */
export const LOCAL_ADDRESS = 'ELOCAL';

/** Refuses a name that leads to any address that is not public. */
const publicLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '');
    const local = addresses.some(({ address }) => !isPublicAddress(address));
    if (local || addresses.length === 0)
      return callback(Object.assign(new Error('not a public address'), { code: LOCAL_ADDRESS }), '');
    if (options.all) return callback(null, addresses);
    const [{ address, family } = { address: '', family: 4 }] = addresses;
    return callback(null, address, family);
  });

/** The answer of a push service: its status, and after how many ms it wants to be asked again. */
export interface PushAnswer {
  status: number;
  retryAfter: number | undefined;
}

/**
 * Posts a message to a push service. Follows no redirect, waits ten seconds, reads no long answer. Throws if there is no
 * answer, or if its name leads to a local address ({@link LOCAL_ADDRESS}).
 */
export function postPush(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<PushAnswer> {
  const url = new URL(endpoint);
  // a test server on this machine, which the operator named (isPushService)
  const isOwn = isLoopback(url.hostname);
  const client = url.protocol === 'http:' ? http : https;
  return new Promise((resolve, reject) => {
    const request = client.request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'Content-Length': body.length },
        signal: AbortSignal.timeout(LIMIT),
        agent: false,
        ...(!isOwn && { lookup: publicLookup }),
      },
      (response) => {
        const answer = {
          status: response.statusCode ?? 0,
          retryAfter: waitOf(response.headers['retry-after']),
        };
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_ANSWER) response.destroy();
        });
        response.on('error', () => undefined); // what it says does not matter
        response.on('close', () => resolve(answer));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Seconds, or a date. */
function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * SECOND : Date.parse(header) - now();
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}
