import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type * as frontDoorModule from '#platform/http/http-security.server.ts';

type HttpSecurity = typeof frontDoorModule;

const before = { ...process.env };

afterEach(() => {
  process.env = { ...before };
});

/** The HTTP security module of a portal with this configuration. */
async function httpSecurity(env: Record<string, string> = {}): Promise<HttpSecurity> {
  vi.resetModules();
  Object.assign(process.env, env);
  return import('#platform/http/http-security.server.ts');
}

/** The parts of a request that the module reads. */
const request = (
  method: string,
  headers: Record<string, string | undefined>,
  url = '/clientcenter/en-us/',
  remoteAddress = '203.0.113.9',
): IncomingMessage =>
  ({
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    socket: { remoteAddress },
  }) as unknown as IncomingMessage;

describe('the Host header', () => {
  test.each([
    ['portal.firm.example', 'ours'],
    ['PORTAL.Firm.Example', 'ours'],
    ['portal.firm.example:8443', 'unknown'],
    ['portal.firm.example.', 'unknown'],
    ['portal.firm.example.evil.example', 'unknown'],
    ['evil.example', 'unknown'],
    ['firm.example', 'unknown'],
    ['sub.portal.firm.example', 'unknown'],
    ['portal.firm.example, evil.example', 'unknown'],
    ['portal.firm.example@evil.example', 'unknown'],
    ['evil.example@portal.firm.example', 'unknown'],
    ['evil.example/portal.firm.example', 'unknown'],
    ['127.0.0.1', 'unknown'],
    ['localhost', 'unknown'],
    ['[::1]', 'unknown'],
    ['', 'unknown'],
    [' ', 'unknown'],
    [undefined, 'unknown'],
  ])('a portal at https://portal.firm.example accepts %j as %s', async (host, classification) => {
    const { classifyHost } = await httpSecurity({ PUBLIC_ORIGIN: 'https://portal.firm.example' });
    expect(classifyHost(host)).toBe(classification);
  });

  test.each([
    ['127.0.0.1:4999', 'ours'],
    ['localhost:4999', 'alias'],
    ['LOCALHOST:4999', 'alias'],
    ['[::1]:4999', 'alias'],
    ['localhost', 'unknown'],
    ['localhost:5000', 'unknown'],
    ['127.0.0.2:4999', 'unknown'],
    ['localhost.evil.example:4999', 'unknown'],
    ['evil.example:4999', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('a portal on this machine accepts %j as %s', async (host, classification) => {
    const { classifyHost } = await httpSecurity();
    expect(classifyHost(host)).toBe(classification);
  });

  test('a Host header with the default port is accepted', async () => {
    const { classifyHost } = await httpSecurity({ PUBLIC_ORIGIN: 'https://portal.firm.example' });
    expect(classifyHost('portal.firm.example:443')).not.toBe('unknown');
  });
});

describe('the client address', () => {
  const from = (address: string, forwarded?: string): IncomingMessage =>
    request('GET', { 'x-forwarded-for': forwarded }, '/', address);

  test('without trusted proxies the client address is that of the socket, whatever the headers say', async () => {
    const { networkOf } = await httpSecurity();
    expect(networkOf(from('203.0.113.9'))).toBe('203.0.113.9');
    for (const written of [
      '198.51.100.1',
      '127.0.0.1',
      '198.51.100.1, 203.0.113.9',
      '::1',
      'unknown',
      '',
      ',,,',
    ])
      expect(networkOf(from('203.0.113.9', written))).toBe('203.0.113.9');
  });

  test('an IPv4 client on an IPv6 socket has its IPv4 address', async () => {
    const { networkOf } = await httpSecurity();
    expect(networkOf(from('::ffff:203.0.113.9'))).toBe(networkOf(from('203.0.113.9')));
  });

  test.each([
    ['through one proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['through two proxies', '10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['through a proxy on an IPv6 socket', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['through a proxy named by an IPv6 network', '2001:db8::7', '198.51.100.1', '198.51.100.1'],
    ['from an IPv6 network', '10.0.0.1', '2001:db9::1', '2001:db9::1'],
    ['who writes addresses in front', '10.0.0.1', '127.0.0.1, 10.9.9.9, 198.51.100.1', '198.51.100.1'],
    ['who writes a proxy of ours in front', '10.0.0.1', '192.0.2.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['past the proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['from the proxy itself', '10.0.0.1', undefined, '10.0.0.1'],
    ['from a machine of the proxies’ network', '10.0.0.1', '10.0.0.3', '10.0.0.3'],
  ])(
    'behind trusted proxies a caller %s has an address they cannot choose',
    async (_, socket, forwarded, network) => {
      const { networkOf } = await httpSecurity({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32' });
      expect(networkOf(from(socket, forwarded))).toBe(network);
    },
  );

  test.each([
    'proxy.firm.example',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/abc',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '::1/129',
    '10.0.0.0/8/8',
  ])('TRUSTED_PROXIES=%s is refused at the start, naming the variable', async (proxies) => {
    await expect(httpSecurity({ TRUSTED_PROXIES: proxies })).rejects.toThrow('TRUSTED_PROXIES');
  });

  test('a missing prefix length does not make the whole internet a trusted proxy', async () => {
    const network = await httpSecurity({ TRUSTED_PROXIES: '10.0.0.0/' }).then(
      ({ networkOf }) => networkOf(from('203.0.113.9', '198.51.100.1')),
      () => 'refused at the start',
    );
    expect(['203.0.113.9', 'refused at the start']).toContain(network);
  });

  test('forwarding headers of the client are replaced', async () => {
    const { overwriteForwardedHeaders } = await httpSecurity({
      PUBLIC_ORIGIN: 'https://portal.firm.example',
    });
    const asked = request('GET', {
      host: 'portal.firm.example',
      forwarded: 'for=1',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '1.1.1.1',
      'x-forwarded-prefix': '/a',
    });
    overwriteForwardedHeaders(asked);
    expect(asked.headers).toEqual({ host: 'portal.firm.example', 'x-forwarded-proto': 'https' });
  });
});

describe('cross-site requests', () => {
  const OWN = 'https://portal.firm.example';
  const COOKIE = '__Host-sid=x';
  const guard = (): Promise<HttpSecurity> => httpSecurity({ PUBLIC_ORIGIN: OWN });
  const FOREIGN: Record<string, Record<string, string>> = {
    'a browser that says cross-site': {
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
      cookie: COOKIE,
    },
    'a browser that says cross-site and no origin': { 'sec-fetch-site': 'cross-site', cookie: COOKIE },
    'a sibling subdomain': {
      'sec-fetch-site': 'same-site',
      origin: 'https://blog.firm.example',
      cookie: COOKIE,
    },
    'a sibling subdomain that claims our origin': {
      'sec-fetch-site': 'same-site',
      origin: OWN,
      cookie: COOKIE,
    },
    'an address typed by hand': { 'sec-fetch-site': 'none', cookie: COOKIE },
    'a sandboxed page': { origin: 'null', cookie: COOKIE },
    'an older browser on another site': { origin: 'https://evil.example', cookie: COOKIE },
    'an older browser on another site, before anybody is signed in': { origin: 'https://evil.example' },
    'our own name without TLS': { origin: 'http://portal.firm.example', cookie: COOKIE },
    'our own name on another port': { origin: `${OWN}:8443`, cookie: COOKIE },
    'a name that begins like ours': { origin: `${OWN}.evil.example`, cookie: COOKIE },
    'our origin in capitals': { origin: 'HTTPS://PORTAL.FIRM.EXAMPLE', cookie: COOKIE },
    'two answers about the site': {
      'sec-fetch-site': 'same-origin, cross-site',
      origin: OWN,
      cookie: COOKIE,
    },
    'the site in capitals': { 'sec-fetch-site': 'SAME-ORIGIN', cookie: COOKIE },
    'an origin that contradicts the site': {
      'sec-fetch-site': 'same-origin',
      origin: 'https://evil.example',
      cookie: COOKIE,
    },
    'a cookie and no word where it is from': { cookie: COOKIE },
    'an empty origin': { origin: '', cookie: COOKIE },
  };
  const OWN_ONES: Record<string, Record<string, string>> = {
    'a form of ours': { 'sec-fetch-site': 'same-origin', origin: OWN, cookie: COOKIE },
    'a call of ours without an origin': { 'sec-fetch-site': 'same-origin', cookie: COOKIE },
    'a form of ours in an older browser': { origin: OWN, cookie: COOKIE },
    'a program without cookies': { authorization: 'Bearer x' },
  };
  const TYPES = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/json',
    'application/octet-stream',
    'application/csp-report',
    'text/xml',
    'APPLICATION/JSON',
    undefined,
  ];
  const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'post', 'PROPFIND', 'BREW'];

  test.each(Object.entries(FOREIGN))(
    'a cross-site request is refused with any method and content type: %s',
    async (_, headers) => {
      const { isCrossSite } = await guard();
      const let_in = METHODS.flatMap((method) =>
        TYPES.filter((type) => !isCrossSite(request(method, { ...headers, 'content-type': type }))).map(
          (type) => `${method} ${type}`,
        ),
      );
      expect(let_in).toEqual([]);
    },
  );

  test.each(Object.entries(OWN_ONES))(
    'a legitimate request is accepted with any method and content type: %s',
    async (_, headers) => {
      const { isCrossSite } = await guard();
      const refused = METHODS.flatMap((method) =>
        TYPES.filter((type) => isCrossSite(request(method, { ...headers, 'content-type': type }))).map(
          (type) => `${method} ${type}`,
        ),
      );
      expect(refused).toEqual([]);
    },
  );

  test.each(['GET', 'HEAD'])('following a link from an email or another site works (%s)', async (method) => {
    const { isCrossSite } = await guard();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', cookie: COOKIE };
    for (const url of ['/clientcenter/en-us/share/abc', '/api/storage/v1/clients/c/documents/d'])
      expect(isCrossSite(request(method, link, url))).toBe(false);
  });

  test.each(['no-cors', 'cors', 'same-origin', 'websocket', undefined])(
    'another site cannot read API calls in mode %s',
    async (mode) => {
      const { isCrossSite } = await guard();
      expect(
        isCrossSite(
          request(
            'GET',
            { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, cookie: COOKIE },
            '/api/security/v1/session',
          ),
        ),
      ).toBe(true);
      expect(
        isCrossSite(
          request(
            'GET',
            { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': mode, cookie: COOKIE },
            '/api/security/v1/session',
          ),
        ),
      ).toBe(false);
    },
  );
});

test('HSTS is sent only by a portal on https', async () => {
  const plain = await httpSecurity();
  expect(plain.SAFE_HEADERS).not.toHaveProperty('Strict-Transport-Security');
  const secure = await httpSecurity({ PUBLIC_ORIGIN: 'https://portal.firm.example' });
  expect(secure.SAFE_HEADERS).toMatchObject({
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
});

test('every cookie is HttpOnly and SameSite, and on https has the __Host- prefix', async () => {
  for (const [env, name, secure] of [
    [{}, 'sid', false],
    [{ PUBLIC_ORIGIN: 'https://portal.firm.example' }, '__Host-sid', true],
  ] as const) {
    await httpSecurity(env);
    const { dropCookie, readCookie, setCookie } = await import('#platform/http/cookies.server.ts');
    const attributes = setCookie('sid', 'value', 60).split('; ');
    expect(attributes[0]).toBe(`${name}=value`);
    expect(attributes.slice(1).toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=60', 'Path=/', 'SameSite=Lax', ...(secure ? ['Secure'] : [])].toSorted(),
    );
    expect(dropCookie('sid')).toContain('Max-Age=0');
    expect(readCookie(`other=1; ${name}=value; visit=2`, 'sid')).toBe('value');
    expect(readCookie('other=1', 'sid')).toBeUndefined();
    expect(readCookie(undefined, 'sid')).toBeUndefined();
    if (secure) expect(readCookie('sid=planted-by-a-sibling', 'sid')).toBeUndefined();
  }
});

test.each([
  ['a proxy that is named', '10.0.0.5', '198.51.100.7', false],
  ['a proxy that nobody named', '10.1.0.5', '198.51.100.7', true],
  ['somebody who comes by no proxy', '198.51.100.7', undefined, false],
])('an untrusted proxy is detected: %s', async (_, neighbour, forwarded, isForeign) => {
  const { isForeignProxy } = await httpSecurity({ TRUSTED_PROXIES: '10.0.0.0/24' });
  expect(isForeignProxy(request('GET', { 'x-forwarded-for': forwarded }, '/', neighbour))).toBe(isForeign);
});

describe('Strict-Transport-Security', () => {
  test.each([
    [{}, 'max-age=31536000; includeSubDomains'],
    [{ HSTS: 'host' }, 'max-age=31536000'],
    [{ HSTS: 'preload' }, 'max-age=63072000; includeSubDomains; preload'],
  ])('a portal behind HTTPS with %o sends %s', async (env, value) => {
    const { SAFE_HEADERS } = await httpSecurity({ PUBLIC_ORIGIN: 'https://portal.firm.example', ...env });
    expect(SAFE_HEADERS['Strict-Transport-Security']).toBe(value);
  });

  test('a portal without HTTPS sends none', async () => {
    const { SAFE_HEADERS } = await httpSecurity({ PUBLIC_ORIGIN: 'http://127.0.0.1:4321', HSTS: 'preload' });
    expect(SAFE_HEADERS['Strict-Transport-Security']).toBeUndefined();
  });
});
