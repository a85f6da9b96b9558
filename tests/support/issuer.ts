import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';

/*
 * A fake OpenID Connect issuer: oidc-provider on a port of its own, behind a proxy that can inject one fault
 * into its responses. `person` signs in. Altered tokens are signed with the issuer's real key, unless the key
 * is the fault, so that nothing but the named fault can cause a refusal.
 */

interface IssuerPerson {
  sub: string;
  email?: string;
  email_verified?: unknown;
  amr?: string[];
  acr?: string;
  /** `auth_time` of the token (s); null omits it, undefined is the actual time. */
  auth_time?: number | null;
}

export interface SecondIssuer {
  address: string;
  person: IssuerPerson;
  /** Injects a fault from now on, or none. */
  spoil: (fault?: Fault) => void;
  /** Replaces its metadata from now on, or restores it. */
  describeAs: (description?: keyof typeof DESCRIPTIONS) => void;
  /** Number of requests by path. */
  asked: Map<string, number>;
  /** Stops responding until `comeBack`. */
  goAway: () => Promise<void>;
  comeBack: () => Promise<void>;
  stop: () => Promise<void>;
}

export const CLIENT = {
  id: 'portal-at-the-firm',
  secret: 'a client secret of at least thirty-two characters',
} as const;

type Claims = Record<string, unknown>;
interface Token {
  header: Record<string, unknown>;
  claims: Claims;
  /** How tokens are signed; by default with the issuer's key. */
  signature?: (input: string) => string;
}

interface Spoiling {
  token?: (token: Token) => void;
  /** Replaces the token response; `hang` never responds. */
  tokenAnswer?: { status: number; type: string; body: string } | 'hang';
  discovery?: (metadata: Claims) => void;
  /** Changes the query of the redirect back to the portal. */
  callback?: (query: URLSearchParams) => void;
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KID = 'issuer-1';
const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const es256 = (input: string, key: KeyObject): string =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const hmac = (input: string, key: string): string =>
  createHmac('sha256', key).update(input).digest('base64url');
const claim = (name: string, value: unknown): Spoiling => ({
  token: ({ claims }) => void (claims[name] = value),
});
const byStranger = (header: (token: Token) => void): Spoiling => ({
  token: (token) => {
    header(token);
    token.signature = (input) => es256(input, foreign.privateKey);
  },
});

/**
 * All faults of an issuer or an attacker in between. Each must lead to a refused sign-in (threat-model.md
 * T27).
 */
export const FAULTS = {
  'another issuer in the token': claim('iss', 'https://evil.example'),
  'another issuer in the address': { callback: (query) => query.set('iss', 'https://evil.example') },
  'no issuer in the address': { callback: (query) => query.delete('iss') },
  'a token for another client': claim('aud', 'another-client'),
  'a token for two clients, made for the other': {
    token: ({ claims }) =>
      void Object.assign(claims, { aud: [CLIENT.id, 'another-client'], azp: 'another-client' }),
  },
  'a token for two clients, made for nobody': claim('aud', [CLIENT.id, 'another-client']),
  'a token for us, made for another client': claim('azp', 'another-client'),
  'another nonce': claim('nonce', 'x'.repeat(43)),
  'no nonce': { token: ({ claims }) => void delete claims['nonce'] },
  'no subject': { token: ({ claims }) => void delete claims['sub'] },
  'a token that is not signed': {
    token: (token) => {
      token.header['alg'] = 'none';
      token.signature = () => '';
    },
  },
  'a token signed with the public key as a secret': {
    token: (token) => {
      token.header['alg'] = 'HS256';
      token.signature = (input) =>
        hmac(input, createPublicKey(keys.privateKey).export({ type: 'spki', format: 'pem' }).toString());
    },
  },
  'a token signed with the client secret': {
    token: (token) => {
      token.header['alg'] = 'HS256';
      token.signature = (input) => hmac(input, CLIENT.secret);
    },
  },
  'a token that is over': {
    token: ({ claims }) => void Object.assign(claims, { iat: seconds() - 200, exp: seconds() - 100 }),
  },
  'a token of the future': claim('iat', seconds() + 3600),
  'a token that is not valid yet': claim('nbf', seconds() + 3600),
  'a token of yesterday that never ends': {
    token: ({ claims }) => void Object.assign(claims, { iat: seconds() - 86_400, exp: seconds() + 86_400 }),
  },
  'a key that the token brings along': byStranger(({ header }) =>
    Object.assign(header, { jwk: foreign.publicKey.export({ format: 'jwk' }) }),
  ),
  'a key that the token points to': byStranger(({ header }) =>
    Object.assign(header, { jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x5u', kid: 'evil' }),
  ),
  'a key that nobody knows': { token: ({ header }) => void (header['kid'] = 'nobody-knows') },
  'a stranger’s key under the right name': byStranger(() => undefined),
  'a header that must be understood': {
    token: ({ header }) => void Object.assign(header, { crit: ['urgent'], urgent: true }),
  },
  'claims changed after signing': {
    token: (token) => {
      token.signature = (input) =>
        es256(input, keys.privateKey).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    },
  },
  'a token endpoint that fails': { tokenAnswer: { status: 500, type: 'text/plain', body: 'broken' } },
  'a token endpoint that never answers': { tokenAnswer: 'hang' },
  'a token endpoint that answers a page': {
    tokenAnswer: { status: 200, type: 'text/html', body: '<!doctype html><p>Welcome</p>' },
  },
  'a token endpoint that answers no JSON': {
    tokenAnswer: { status: 200, type: 'application/json', body: '{"id_token":' },
  },
  'a token endpoint without an identity token': {
    tokenAnswer: {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ access_token: 'x', token_type: 'Bearer' }),
    },
  },
  'a token that is no token': {
    tokenAnswer: {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: 'x.y.z' }),
    },
  },
  'no state': { callback: (query) => query.delete('state') },
  'another state': { callback: (query) => query.set('state', 'x'.repeat(43)) },
  'two states': { callback: (query) => query.append('state', 'x'.repeat(43)) },
  'no code': { callback: (query) => query.delete('code') },
  'a code that nobody gave': { callback: (query) => query.set('code', 'x'.repeat(43)) },
  'a refusal': {
    callback: (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
    },
  },
} as const satisfies Record<string, Spoiling>;
export type Fault = keyof typeof FAULTS;

/** Issuer metadata with which no sign-in can start. */
export const DESCRIPTIONS = {
  'another issuer': (metadata) => void (metadata['issuer'] = 'https://evil.example'),
  'no algorithm that we accept': (metadata) =>
    void (metadata['id_token_signing_alg_values_supported'] = ['HS256', 'none']),
  'an authorization address that is none': (metadata) =>
    void (metadata['authorization_endpoint'] = 'javascript:alert(1)'),
} as const satisfies Record<string, (metadata: Claims) => void>;

interface Registered {
  /** The origin for redirects after sign-in and sign-out. */
  origin: string;
  paths: readonly string[];
  logoutPaths?: readonly string[];
  /** Shows browsers a page with a button first; other clients are signed in at once. */
  asksFirst?: boolean;
  /** Its metadata has no logout endpoint. */
  withoutLogout?: boolean;
}

export async function startIssuer({
  origin,
  paths,
  logoutPaths = [],
  asksFirst = false,
  withoutLogout = false,
}: Registered): Promise<SecondIssuer> {
  const asked = new Map<string, number>();
  const person: IssuerPerson = { sub: `subject-${randomUUID()}` };
  let fault: Fault | undefined;
  let description: keyof typeof DESCRIPTIONS | undefined;

  const server = http.createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const spoiling = (): Spoiling => (fault === undefined ? {} : FAULTS[fault]);

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://issuer');
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    if (pathname.startsWith('/interaction/')) return interact(request, response);
    const { token, tokenAnswer, callback } = spoiling();
    const instead = pathname === '/token' ? tokenAnswer : undefined;
    if (instead === 'hang') return;
    if (instead)
      return void response.writeHead(instead.status, { 'content-type': instead.type }).end(instead.body);
    await changing(
      response,
      (status, headers, body) => {
        if (pathname === '/token' && status === 200)
          return spoilToken(body, (one) => {
            if (person.auth_time === null) delete one.claims['auth_time'];
            else if (person.auth_time !== undefined) one.claims['auth_time'] = person.auth_time;
            token?.(one);
          });
        if (pathname === '/.well-known/openid-configuration') return describe(body);
        const location = headers['location'];
        if (callback && typeof location === 'string' && location.startsWith(origin))
          headers['location'] = spoilQuery(location, callback);
        return body;
      },
      () => answered(request, response),
    );
  }

  function describe(body: string): string {
    const metadata = JSON.parse(body) as Claims;
    if (withoutLogout) delete metadata['end_session_endpoint'];
    if (description) DESCRIPTIONS[description](metadata);
    return JSON.stringify(metadata);
  }

  async function interact(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (asksFirst && request.method === 'GET' && request.headers['user-agent']?.includes('Mozilla')) {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          '<!doctype html><html lang="en"><title>Second issuer</title><h1>Second issuer</h1><form method="post"><button>It is me</button></form></html>',
        );
      return;
    }
    await text(request);
    await provider.interactionFinished(request, response, {
      login: {
        accountId: person.sub,
        ...(person.amr && { amr: person.amr }),
        ...(person.acr !== undefined && { acr: person.acr }),
        remember: false,
      },
    });
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const provider = makeProvider(address, person, { origin, paths, logoutPaths });
  const answered = provider.callback();

  const goAway = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    address,
    person,
    asked,
    spoil: (next) => void (fault = next),
    describeAs: (next) => void (description = next),
    goAway,
    comeBack: async () => void (await once(server.listen(port, '127.0.0.1'), 'listening')),
    stop: goAway,
  };
}

function makeProvider(
  address: string,
  person: IssuerPerson,
  {
    origin,
    paths,
    logoutPaths,
  }: { origin: string; paths: readonly string[]; logoutPaths: readonly string[] },
): Provider {
  const whole = (list: readonly string[]): string[] => list.map((path) => origin + path);
  const provider = new Provider(address, {
    jwks: {
      keys: [
        { ...keys.privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: KID } as { kty: 'EC' },
      ],
    },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: whole(paths),
        post_logout_redirect_uris: whole(logoutPaths),
        response_types: ['code'],
        grant_types: ['authorization_code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: ['a key of the tests'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context, form) =>
          void (context.body = `<!doctype html><html lang="en"><title>Second issuer</title><h1>Second issuer</h1>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out there too</button></html>`),
      },
    },
    pkce: { required: () => true },
    ttl: {
      AuthorizationCode: 60,
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 300,
      IdToken: 300,
    },
    claims: { openid: ['sub', 'acr', 'amr'], email: ['email', 'email_verified'] },
    acrValues: ['urn:test:two', 'urn:test:one'],
    conformIdTokenClaims: true,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...person, sub: accountId }) }),
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: CLIENT.id,
        accountId: context.oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

/** Runs `work` with a buffered response, and sends it after `change`. */
async function changing(
  response: http.ServerResponse,
  change: (status: number, headers: http.OutgoingHttpHeaders, body: string) => string,
  work: () => Promise<void> | void,
): Promise<void> {
  const pieces: Buffer[] = [];
  const { end } = response;
  response.write = (piece: unknown) => {
    pieces.push(Buffer.from(piece as string));
    return true;
  };
  const done = new Promise<void>((resolve) => {
    response.end = ((piece?: unknown) => {
      if (piece !== undefined && typeof piece !== 'function') pieces.push(Buffer.from(piece as string));
      const headers = response.getHeaders() as http.OutgoingHttpHeaders;
      const body = change(response.statusCode, headers, Buffer.concat(pieces).toString());
      for (const [name, value] of Object.entries(headers))
        if (value !== undefined) response.setHeader(name, value);
      if (response.statusCode !== 204 && response.statusCode !== 304)
        response.setHeader('content-length', Buffer.byteLength(body));
      response.end = end;
      response.end(body);
      resolve();
      return response;
    }) as typeof response.end;
  });
  await work();
  await done;
}

function spoilToken(body: string, change: (token: Token) => void): string {
  const answer = JSON.parse(body) as { id_token: string };
  const [header = '', claims = ''] = answer.id_token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  const token: Token = { header: JSON.parse(header) as Claims, claims: JSON.parse(claims) as Claims };
  change(token);
  const input = `${encoded(token.header)}.${encoded(token.claims)}`;
  const signature = token.signature?.(input) ?? es256(input, keys.privateKey);
  return JSON.stringify({ ...answer, id_token: `${input}.${signature}` });
}

function spoilQuery(location: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(location);
  change(url.searchParams);
  return url.href;
}

/** Follows the issuer's redirects like a browser without cookies, and returns the portal URL at the end. */
export async function throughIssuer(location: string): Promise<URL> {
  const jar = new Map<string, string>();
  const issuer = new URL(location).origin;
  let next = new URL(location);
  for (let hops = 0; hops < 10 && next.origin === issuer; hops += 1) {
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const target = answer.headers.get('location');
    if (target === null)
      throw new Error(
        `the issuer leads nowhere from ${next.pathname}: ${answer.status} ${await answer.text()}`,
      );
    next = new URL(target, next);
  }
  return next;
}
