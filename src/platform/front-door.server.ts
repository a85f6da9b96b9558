import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { config, isSecureOrigin } from './config.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** Security headers of every answer; HTML and downloads add a content policy of their own (security.md 4.2). */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin', // with 'no-referrer' a browser posts our own forms with `Origin: null`
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(self), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  ...(isSecureOrigin() && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
};

/** The same for files of the build, which are no pages: they say as little as is safe, since a page fetches several. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

/** What the front door decides from the Host header: serve, send to the canonical address, or refuse. */
export function judgeHost(host: string | undefined): 'ours' | 'alias' | 'unknown' {
  const ours = new URL(config.origin);
  const usualPort = ours.protocol === 'https:' ? ':443' : ':80'; // some proxies write it out
  if (host !== undefined && [ours.host, ours.host + usualPort].includes(host.toLowerCase())) return 'ours';
  const alias = /^[\w.:[\]-]+$/.test(host ?? '') ? URL.parse(`http://${host}`) : null; // a host and a port only
  const isLoopbackName = (name: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(name);
  return alias && isLoopbackName(alias.hostname) && isLoopbackName(ours.hostname) && alias.port === ours.port ? 'alias' : 'unknown';
}

const proxies = new BlockList();
for (const entry of config.trustedProxies) {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0 || Number(bits ?? 0) > (family === 'ipv6' ? 128 : 32)) throw new ConfigurationError(`TRUSTED_PROXIES names ${JSON.stringify(entry)}, which is no network address.`);
  if (bits === undefined) proxies.addAddress(address, family);
  else proxies.addSubnet(address, Number(bits), family);
}

const isTrusted = (address: string): boolean => isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The caller's address: the socket's, or the nearest one in X-Forwarded-For that no trusted proxy of ours added. */
export function networkOf(request: IncomingMessage): string {
  let network = plain(request.socket.remoteAddress ?? '');
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',').map((part) => plain(part.trim())).filter(Boolean);
  while (isTrusted(network) && forwarded.length > 0) network = forwarded.pop() ?? network;
  return network;
}

const plain = (address: string): string => address.replace(/^::ffff:/, '');

/** Says who we are in the headers that libraries read, whatever the caller wrote there. */
export function ownForwarding(request: IncomingMessage): void {
  for (const name of Object.keys(request.headers)) if (name.startsWith('x-forwarded-') || name === 'forwarded') delete request.headers[name];
  request.headers['x-forwarded-proto'] = new URL(config.origin).protocol.slice(0, -1);
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True when a request may have been made by another site: an unsafe method, whatever its content type, that neither says same-origin
 * nor carries our own origin; or a read of the API from another site that is not a person following a link (security.md F6).
 */
export function isCrossSite(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  const origin = request.headers.origin;
  if (SAFE_METHODS.has(request.method ?? '')) {
    return site === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate' && (request.url ?? '').startsWith('/api/');
  }
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin !== undefined) return origin !== config.origin;
  if (site !== undefined) return false;
  // No browser leaves out both; programs with a token in Authorization are no browsers and carry no cookie that could be misused.
  return origin === undefined && request.headers.cookie !== undefined;
}
