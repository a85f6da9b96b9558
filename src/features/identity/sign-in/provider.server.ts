import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { LANGS } from '#platform/text/languages.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { keyFor, keysFor, sha256 } from '#platform/security/crypto.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { SqlAdapter } from '#features/identity/external-sign-in/oidc-adapter.server.ts';
import { signingKeys } from './signing-keys.server.ts';
import { isLiveTicket, takeTicket } from './tickets.server.ts';
import { userByGuid } from '#features/identity/credentials/users.server.ts';
import { readTicketCookie, TICKET_SECONDS } from './ticket-cookie.server.ts';

/*
 * The embedded OpenID provider: the default issuer of an installation. The portal's own page checks the
 * password before the flow starts and leaves a one-time ticket, which the provider's login prompt redeems. So
 * a form can stay open for hours, and a slow phone shows the form without a chain of redirects. The rest is
 * the code flow with PKCE, state and nonce.
 */

export const MOUNT = '/oidc';
export const CLIENT_ID = 'portal';
let secret: string | undefined;
/**
 * The shared configuration of the portal and its provider: unchanged for the lifetime of the process, also
 * when the keys change.
 */
export const clientSecret = (): string => (secret ??= keyFor('oidc-client').toString('base64url'));

/** The redirect URIs of the provider: the sign-in page in each language. */
const redirectUris = (): string[] => LANGS.map((lang) => `${config.origin}/${config.base}/${lang}/auth`);

let provider: { kids: string; running: Promise<Provider> } | undefined;

/**
 * Creates the provider with the current keys: it reads them once, and stores nothing outside the database.
 */
async function currentProvider(): Promise<Provider> {
  const keys = await signingKeys();
  const kids = keys.map(({ kid }) => kid).join();
  if (provider?.kids !== kids) provider = { kids, running: createProvider(keys) };
  return provider.running;
}

/**
 * The enabled features and routes of the provider, with all others disabled: this portal is its only client.
 */
const ANSWERED =
  /^(GET \/(auth|auth\/[\w-]+|interaction\/[\w-]+|jwks|\.well-known\/openid-configuration)|POST \/token)$/;

const NOWHERE = { pathname: '', searchParams: new URLSearchParams() };

/** Handles a request below {@link MOUNT}. */
export async function answerOidc(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '/';
  const { pathname, searchParams } = URL.parse(url.slice(MOUNT.length), config.origin) ?? NOWHERE;
  if (!ANSWERED.test(`${request.method} ${pathname}`)) return void response.writeHead(404).end();
  if (pathname === '/auth' && !(await mayStart(searchParams, request.headers.cookie)))
    return toSignIn(response);
  const running = await currentProvider();
  Object.assign(request, { originalUrl: url, baseUrl: MOUNT, url: url.slice(MOUNT.length) });
  if (pathname.startsWith('/interaction/')) await finishInteraction(running, request, response);
  else await running.callback()(request, response);
}

const toSignIn = (response: ServerResponse): void =>
  void response.writeHead(303, { Location: `/${config.base}/` }).end();

/** Ours have 43 characters. */
const MAX_VALUE = 256;
/**
 * The number of sign-ins that one ticket can start, although it completes one only: people go back and forth.
 */
const MAX_STARTS = 5;
const starts = new Map<string, { count: number; until: number }>();

/**
 * Tells whether the start of the flow is requested by somebody just authenticated: each start creates rows,
 * which strangers must not be able to do. The limits per network apply where tickets are issued; the uses of
 * a ticket are counted here and not in the database, where each would be another row.
 */
async function mayStart(query: URLSearchParams, cookies: string | undefined): Promise<boolean> {
  if (['state', 'nonce'].some((name) => query.getAll(name).some((value) => value.length > MAX_VALUE)))
    return false;
  const ticket = readTicketCookie(cookies);
  if (ticket === undefined || !(await isLiveTicket(ticket))) return false;
  const instant = now();
  for (const [key, { until }] of starts) if (until <= instant) starts.delete(key);
  const key = sha256(ticket);
  const before = starts.get(key) ?? { count: 0, until: instant + TICKET_SECONDS * SECOND };
  starts.set(key, { ...before, count: before.count + 1 });
  return before.count < MAX_STARTS;
}

async function finishInteraction(
  running: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const ticket = readTicketCookie(request.headers.cookie);
  const proof = ticket && (await takeTicket(ticket));
  if (!proof) return toSignIn(response);
  await running.interactionFinished(request, response, {
    login: { accountId: proof.prismGuid, amr: proof.amr, remember: false },
  });
}

async function createProvider(keys: Awaited<ReturnType<typeof signingKeys>>): Promise<Provider> {
  // The library warns of every runtime that is not an LTS release; ours is pinned and tested, and the npm
  // build is not marked as LTS.
  Object.assign(process.release, { lts: process.release.lts ?? 'pinned' });
  const { default: OidcProvider } = await import('oidc-provider');
  const running = new OidcProvider(`${config.origin}${MOUNT}`, {
    adapter: SqlAdapter,
    jwks: { keys },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret(),
        redirect_uris: redirectUris(),
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: {
      keys: keysFor('oidc-cookies').map((key) => key.toString('base64url')),
      long: { path: MOUNT, signed: true },
      short: { path: MOUNT, signed: true },
    },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => true },
    claims: { openid: ['sub', 'amr'], profile: ['given_name', 'family_name'], email: ['email'] },
    ttl: {
      AuthorizationCode: 60,
      Interaction: 600,
      Session: 60,
      Grant: 3600,
      AccessToken: 300,
      IdToken: 300,
    },
    interactions: { url: (_, interaction) => `${MOUNT}/interaction/${interaction.uid}` },
    findAccount: async (_, prismGuid) => {
      const user = await userByGuid(prismGuid);
      return (
        user && {
          accountId: prismGuid,
          claims: () => ({
            sub: prismGuid,
            given_name: user.first_name,
            family_name: user.last_name,
            email: user.email,
          }),
        }
      );
    },
    // The portal is the only client: its people are not asked for consent.
    loadExistingGrant: async (context) => {
      const accountId = context.oidc.session?.accountId;
      if (!accountId) return undefined;
      const grant = new context.oidc.provider.Grant({ clientId: CLIENT_ID, accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    renderError: (context) => {
      context.redirect(`/${config.base}/en-us/auth/signin-error`);
    },
  });
  // No other site has anything to read here; the library would allow every one.
  running.use(async (context, next) => {
    await next();
    for (const name of ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers']) context.remove(name);
  });
  running.proxy = true; // the server sets X-Forwarded-* itself
  running.on('server_error', (_, error) => log.error({ err: error, event: 'oidc.failed' }));
  return running;
}
