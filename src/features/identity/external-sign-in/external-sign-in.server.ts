import * as oidc from 'openid-client';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { config, type ExternalIssuer } from '#platform/runtime/config.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { identityOf, linkByEmail } from '#features/identity/credentials/identities.server.ts';
import { createOwnerOf } from '#features/identity/invitations/first-owner.server.ts';
import type { Purpose } from './external-sign-in.ts';
import { acceptInvitationOf } from '#features/identity/invitations/invitations.server.ts';
import { SqlAdapter } from './oidc-adapter.server.ts';
import type { StartedTransaction } from './transaction.server.ts';

/*
 * The external issuer in OIDC_ISSUER: its discovery, the validation of its identity tokens (OpenID Connect
 * Core 3.1.3.7, threat-model.md T27), and how a sign-out continues there.
 */

/** The accepted signature algorithms; others that the issuer offers are refused. */
const ALGORITHMS = ['ES256', 'RS256'];
/** In seconds: allowed clock skew, maximum age of a token, and timeout of the issuer. */
const TOLERANCE = 30;
const MAX_AGE = 300;
const PATIENCE = 5;
/** How long the discovery document is cached for the start of a sign-in, and for its end. */
const FRESH = 10 * SECOND;
const HOLDS = 10 * MINUTE;

/** The person returned by the issuer; `idToken` is used to sign out there. */
export interface Proof {
  prismGuid: string;
  /** Authentication methods (RFC 8176), including `mfa` if the issuer reports it by its `acr`. */
  amr: string[];
  /** When the person authenticated (epoch ms), as reported by the issuer; 0 if it is not reported. */
  authenticatedAt: number;
  idToken?: string;
  /** The firm that they now belong to. */
  joined?: string;
}

/** The issuer's identifier of people. */
export const issuerHost = (): string => new URL(ours().issuer).hostname;

let known: { configuration: oidc.Configuration; issuer: string; at: number } | undefined;
let discovering: Promise<oidc.Configuration> | undefined;

const knownFor = (lifetime: number): oidc.Configuration | undefined => {
  return known?.issuer === ours().issuer && now() - known.at < lifetime ? known.configuration : undefined;
};

/**
 * Discovers the issuer, cached for ten seconds, so that nobody is redirected to one that is unavailable, and
 * many sign-ins cause one request; UNAVAILABLE, with `away: 'issuer'`, if it does not respond or identifies
 * as another one.
 */
export async function issuerNow(): Promise<oidc.Configuration> {
  const fresh = knownFor(FRESH);
  if (fresh) return fresh;
  discovering ??= discover().finally(() => (discovering = undefined));
  return discovering.catch((error: unknown) => {
    log.warn({ event: 'issuer.away', err: error });
    throw new PortalError('UNAVAILABLE', { away: 'issuer' });
  });
}

const issuerOfLate = async (): Promise<oidc.Configuration> => knownFor(HOLDS) ?? issuerNow();

export const isIssuerAway = (error: unknown): boolean => refusal(error)?.details['away'] === 'issuer';

const ours = (): ExternalIssuer => {
  if (!config.oidc) throw new Error('there is no external issuer: OIDC_ISSUER is not set');
  return config.oidc;
};

async function discover(): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = ours();
  const isLocal = issuer.startsWith('http:'); // the configuration allows this for an issuer on this machine only
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
    timeout: PATIENCE,
    ...(isLocal && { execute: [oidc.allowInsecureRequests] }),
  });
  const { supportsPKCE: _, ...server } = found.serverMetadata();
  for (const address of [server.authorization_endpoint, server.end_session_endpoint])
    assertWeb(address, isLocal);
  const algorithms = ALGORITHMS.filter((name) =>
    (server.id_token_signing_alg_values_supported ?? ['RS256']).includes(name),
  );
  if (algorithms.length === 0) throw new Error(`the issuer signs with none of ${ALGORITHMS.join(', ')}`);
  const configuration = new oidc.Configuration(
    { ...server, id_token_signing_alg_values_supported: algorithms },
    clientId,
    { [oidc.clockTolerance]: TOLERANCE },
    authentication(clientSecret, server.token_endpoint_auth_methods_supported),
  );
  configuration.timeout = PATIENCE;
  if (isLocal) oidc.allowInsecureRequests(configuration);
  // the signature is verified although the token came over TLS
  oidc.enableNonRepudiationChecks(configuration);
  known = { configuration, issuer, at: now() };
  return configuration;
}

/** The URL to which a browser is redirected. */
function assertWeb(address: string | undefined, isLocal: boolean): void {
  if (address !== undefined && !(isLocal ? /^https?:/ : /^https:/).test(address))
    throw new Error('the issuer names an address that is no page of the web');
}

function authentication(
  secret: string | undefined,
  methods: readonly string[] = ['client_secret_basic'],
): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
}

/**
 * Exchanges the code of a response for the person; undefined if they have no user here. An invitation or the
 * link of the first owner creates the user. Throws if anything is invalid.
 */
export async function redeemExternal(
  callback: URL,
  transaction: StartedTransaction,
): Promise<Proof | undefined> {
  const configuration = await issuerOfLate();
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
    expectedState: transaction.state,
    expectedNonce: transaction.nonce,
    pkceCodeVerifier: transaction.code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims || tokens.id_token === undefined) throw new Error('the identity token names nobody');
  assertFresh(claims);
  const authenticatedAt = Math.min(now(), (claims.auth_time ?? 0) * SECOND);
  if (
    transaction.purpose.kind === 'step-up' &&
    authenticatedAt < transaction.startedAt - TOLERANCE * SECOND
  ) {
    throw new Error('the issuer does not say that the person proved anew who they are');
  }
  const who =
    (await joinedAs(claims, transaction.purpose)) ??
    (await knownAs(configuration, tokens.access_token, claims));
  return who && { ...who, amr: waysOf(claims), authenticatedAt, idToken: tokens.id_token };
}

type Who = Pick<Proof, 'prismGuid' | 'joined'>;

async function joinedAs(
  { iss: issuer, sub: subject }: oidc.IDToken,
  purpose: Purpose,
): Promise<Who | undefined> {
  if (purpose.kind !== 'invitation' && purpose.kind !== 'owner') return undefined;
  const person = { issuer, subject };
  const { prismGuid, companyId } = await (purpose.kind === 'owner'
    ? createOwnerOf(person, purpose)
    : acceptInvitationOf(person, purpose.token));
  return { prismGuid, joined: companyId };
}

async function knownAs(
  configuration: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
): Promise<Who | undefined> {
  const linked = await identityOf(claims.iss, claims.sub);
  const prismGuid =
    linked ?? (ours().linkByEmail ? await linkedByEmail(configuration, accessToken, claims) : undefined);
  return prismGuid === undefined ? undefined : { prismGuid };
}

/** Checks what the library leaves to its caller: the audience of the token, and its times. */
function assertFresh(claims: oidc.IDToken): void {
  const seconds = now() / SECOND;
  if (claims.azp !== undefined && claims.azp !== ours().clientId)
    throw new Error('the identity token was made for another client');
  if (claims.iat > seconds + TOLERANCE) throw new Error('the identity token is of the future');
  if (claims.iat < seconds - MAX_AGE - TOLERANCE) throw new Error('the identity token is too old');
}

function waysOf(claims: oidc.IDToken): string[] {
  const amr = Array.isArray(claims['amr']) ? claims['amr'].filter((way) => typeof way === 'string') : [];
  const isStrong = typeof claims.acr === 'string' && ours().mfaAcr.includes(claims.acr);
  return isStrong && !amr.includes('mfa') ? [...amr, 'mfa'] : amr;
}

/**
 * Returns the verified email address: only `email_verified: true` counts, in the token or the userinfo of its
 * subject (threat-model.md T28).
 */
async function linkedByEmail(
  configuration: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
): Promise<string | undefined> {
  const userinfo =
    claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await oidc.fetchUserInfo(configuration, accessToken, claims.sub)
      : claims;
  const { email, email_verified: verified } = userinfo as { email?: unknown; email_verified?: unknown };
  return typeof email === 'string' && verified === true
    ? linkByEmail(email, claims.iss, claims.sub)
    : undefined;
}

const idTokens = new SqlAdapter('IdToken');
const LIFETIME_SECONDS = 12 * 3600; // the maximum lifetime of a session

/**
 * Stores the id token for the sign-out at the issuer, encrypted, until the session is signed out; `sessionId`
 * is the stored hash.
 */
export const keepIdToken = (sessionId: string, idToken: string): Promise<void> =>
  idTokens.upsert(sessionId, { idToken }, LIFETIME_SECONDS);

/**
 * Returns the URL where a sign-out continues at the issuer, or undefined if it ends here: RP-initiated logout
 * if the issuer supports it, else OIDC_LOGOUT_URL with client_id and returnTo (spec 1 section 7). The browser
 * returns to `returnTo`, an absolute URL of ours.
 */
export async function issuerLogout(sessionId: string, returnTo: string): Promise<string | undefined> {
  const stored = (await idTokens.find(sessionId)) as { idToken?: string } | undefined;
  await idTokens.destroy(sessionId);
  if (!config.oidc || config.oidc.logout === 'local') return undefined;
  const { clientId, logoutUrl } = config.oidc;
  // With an unavailable issuer the sign-out is completed here alone.
  const server = await issuerNow().then(
    (issuer) => issuer.serverMetadata(),
    () => undefined,
  );
  if (server?.end_session_endpoint !== undefined)
    return withQuery(server.end_session_endpoint, {
      client_id: clientId,
      post_logout_redirect_uri: returnTo,
      ...(stored?.idToken !== undefined && { id_token_hint: stored.idToken }),
    });
  return server && logoutUrl !== undefined
    ? withQuery(logoutUrl, { client_id: clientId, returnTo })
    : undefined;
}

function withQuery(address: string, query: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
