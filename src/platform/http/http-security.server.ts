import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { config, isSecureOrigin } from '../runtime/config.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';

/** The list of browsers (hstspreload.org) asks for a year or more, all subdomains and the word itself. */
const HSTS = {
  host: 'max-age=31536000',
  subdomains: 'max-age=31536000; includeSubDomains',
  preload: 'max-age=63072000; includeSubDomains; preload',
};

/** Security headers of every response; HTML and downloads add their own content security policy. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin', // with 'no-referrer' a browser posts our own forms with `Origin: null`
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // every resource is same-origin, and not every browser supports 'credentialless'
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Permissions-Policy':
    'camera=(self), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  ...(isSecureOrigin() && { 'Strict-Transport-Security': HSTS[config.hsts] }),
};

/** Security headers of build assets: the safe minimum, since a page loads several. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Classifies the Host header: serve it, redirect to the canonical address, or refuse. */
export function classifyHost(host: string | undefined): 'ours' | 'alias' | 'unknown' {
  const ours = new URL(config.origin);
  const defaultPort = ours.protocol === 'https:' ? ':443' : ':80'; // some proxies include it
  if (host !== undefined && [ours.host, ours.host + defaultPort].includes(host.toLowerCase())) return 'ours';
  // a host and a port only
  const alias = /^[\w.:[\]-]+$/.test(host ?? '') ? URL.parse(`http://${host}`) : null;
  const isLoopbackName = (name: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(name);
  return alias && isLoopbackName(alias.hostname) && isLoopbackName(ours.hostname) && alias.port === ours.port
    ? 'alias'
    : 'unknown';
}

const proxies = new BlockList();
for (const entry of config.trustedProxies) {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0 || Number(bits ?? 0) > (family === 'ipv6' ? 128 : 32))
    throw new ConfigurationError(
      `TRUSTED_PROXIES names ${JSON.stringify(entry)}, which is not a network address.`,
    );
  if (bits === undefined) proxies.addAddress(address, family);
  else proxies.addSubnet(address, Number(bits), family);
}

const isTrusted = (address: string): boolean =>
  isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether the peer address of a socket is a trusted proxy. */
export const isTrustedProxy = (address: string): boolean => isTrusted(plainAddress(address));

/**
 * The client's address: that of the socket, or the last one in X-Forwarded-For that no trusted proxy added.
 */
export function networkOf(request: IncomingMessage): string {
  let network = plainAddress(request.socket.remoteAddress ?? '');
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => plainAddress(part.trim()))
    .filter(Boolean);
  while (isTrusted(network) && forwarded.length > 0) network = forwarded.pop() ?? network;
  return network;
}

/**
 * True when an untrusted peer sends X-Forwarded-For: probably a proxy that should be configured, since all
 * its clients would share one rate limit.
 */
export const isForeignProxy = (request: IncomingMessage): boolean =>
  request.headers['x-forwarded-for'] !== undefined &&
  !isTrusted(plainAddress(request.socket.remoteAddress ?? ''));

/** Unwraps an IPv4-mapped IPv6 address. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:/, '');

/** Replaces the forwarding headers that libraries trust by our own values. */
export function overwriteForwardedHeaders(request: IncomingMessage): void {
  for (const name of Object.keys(request.headers))
    if (name.startsWith('x-forwarded-') || name === 'forwarded') delete request.headers[name];
  request.headers['x-forwarded-proto'] = new URL(config.origin).protocol.slice(0, -1);
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True when a request may come from another site: an unsafe method, with any content type, that is neither
 * marked same-origin nor carries our origin; or a cross-site read of the API that is not a navigation
 * (threat-model.md F6).
 */
export function isCrossSite(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  const origin = request.headers.origin;
  if (SAFE_METHODS.has(request.method ?? '')) {
    return (
      site === 'cross-site' &&
      request.headers['sec-fetch-mode'] !== 'navigate' &&
      (request.url ?? '').startsWith('/api/')
    );
  }
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin !== undefined) return origin !== config.origin;
  if (site !== undefined) return false;
  // Browsers send at least one of the two. API clients with a token in Authorization have no cookie to abuse.
  return origin === undefined && request.headers.cookie !== undefined;
}
