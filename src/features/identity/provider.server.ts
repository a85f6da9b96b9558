import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { LANGS } from '#platform/languages.ts';
import { config } from '#platform/config.server.ts';
import { keyFor, keysFor } from '#platform/crypto.server.ts';
import { log } from '#platform/log.server.ts';
import { ownSecret } from '#platform/settings.server.ts';
import { SqlAdapter } from './oidc-adapter.server.ts';
import { takeTicket, userByGuid } from './store.server.ts';
import { readTicketCookie } from './ticket-cookie.server.ts';

/*
 * The embedded OpenID provider: the default issuer of an installation. The portal's own page asks for the password before the flow
 * starts and leaves a one-use ticket; the provider's login prompt redeems it. So a form can stand open for hours, and a slow phone
 * sees the form without a chain of redirects. Everything else is the code flow with PKCE, state and nonce.
 */

export const MOUNT = '/oidc';
export const CLIENT_ID = 'portal';
let secret: string | undefined;
/** What the portal and its provider know of each other: the same to both for as long as the process lives, also when the keys change. */
export const clientSecret = (): string => (secret ??= keyFor('oidc-client').toString('base64url'));

/** The addresses that the provider may send a code back to: the sign-in page in each language. */
const redirectUris = (): string[] => LANGS.map((lang) => `${config.origin}/${config.base}/${lang}/auth`);

let provider: Promise<Provider> | undefined;

/** Answers a request below {@link MOUNT}. */
export async function answerOidc(request: IncomingMessage, response: ServerResponse): Promise<void> {
  provider ??= createProvider();
  const running = await provider;
  const url = request.url ?? '/';
  Object.assign(request, { originalUrl: url, baseUrl: MOUNT, url: url.slice(MOUNT.length) || '/' });
  if (request.url?.startsWith('/interaction/')) await finishInteraction(running, request, response);
  else await running.callback()(request, response);
}

async function finishInteraction(running: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const ticket = readTicketCookie(request.headers.cookie);
  const proof = ticket && (await takeTicket(ticket));
  if (!proof) {
    response.writeHead(303, { Location: `/${config.base}/` }).end();
    return;
  }
  await running.interactionFinished(request, response, { login: { accountId: proof.prismGuid, amr: proof.amr, remember: false } });
}

async function createProvider(): Promise<Provider> {
  // The library warns of every runtime that is no LTS release; ours is pinned and tested, and the npm build carries no such mark.
  Object.assign(process.release, { lts: process.release.lts ?? 'pinned' });
  const { default: OidcProvider } = await import('oidc-provider');
  const running = new OidcProvider(`${config.origin}${MOUNT}`, {
    adapter: SqlAdapter,
    jwks: { keys: [JSON.parse(await signingKey()) as { kty: 'EC' }] },
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
    cookies: { keys: keysFor('oidc-cookies').map((key) => key.toString('base64url')), long: { path: MOUNT, signed: true }, short: { path: MOUNT, signed: true } },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    pkce: { required: () => true },
    claims: { openid: ['sub', 'amr'], profile: ['given_name', 'family_name'], email: ['email'] },
    ttl: { AuthorizationCode: 60, Interaction: 600, Session: 60, Grant: 3600, AccessToken: 300, IdToken: 300 },
    interactions: { url: (_, interaction) => `${MOUNT}/interaction/${interaction.uid}` },
    findAccount: async (_, prismGuid) => {
      const user = await userByGuid(prismGuid);
      return user && { accountId: prismGuid, claims: () => ({ sub: prismGuid, given_name: user.first_name, family_name: user.last_name, email: user.email }) };
    },
    // The portal is the only client: its people are not asked whether the portal may know their name.
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
  running.proxy = true; // the front door sets X-Forwarded-* itself
  running.on('server_error', (_, error) => log.error({ err: error, event: 'oidc.failed' }));
  return running;
}

/** The provider's signing key (ES256, JWK), made once and sealed in the database, so that all nodes sign alike. */
function signingKey(): Promise<string> {
  return ownSecret('oidc-signing-key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: 'portal-1' });
  });
}
