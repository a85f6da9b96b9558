import * as oidc from 'openid-client';
import { MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { config, type ExternalIssuer } from '#platform/config.server.ts';
import { PortalError, refusal } from '#platform/errors.server.ts';
import { log } from '#platform/log.server.ts';
import { identityOf, linkByEmail } from '#features/credentials/identities.server.ts';
import { createOwnerOf } from '#features/invitations/first-owner.server.ts';
import type { Purpose } from './external-sign-in.ts';
import { acceptInvitationOf } from '#features/invitations/invitations.server.ts';
import { SqlAdapter } from './oidc-adapter.server.ts';
import type { StartedTransaction } from './transaction.server.ts';

/*
 * The issuer that OIDC_ISSUER names: how the portal finds it, what it believes of an identity token (OpenID
 * Connect Core 3.1.3.7, threat-model.md T27), and how a sign-out goes on there.
 */

/** What signs an identity token here; what else the issuer offers is not accepted. */
const ALGORITHMS = ['ES256', 'RS256'];
/** In seconds: how far the clocks may differ, how old a token may be, and how long the issuer may take. */
const TOLERANCE = 30;
const MAX_AGE = 300;
const PATIENCE = 5;
/** For so long what the issuer said of itself holds for the start of a sign-in, and for its end. */
const FRESH = 10 * SECOND;
const HOLDS = 10 * MINUTE;

/** Who came from the issuer and how; `idToken` is what ends their sign-in there. */
export interface Proof {
  prismGuid: string;
  /** Ways of the proof (RFC 8176), `mfa` among them where the issuer says so by its `acr`. */
  amr: string[];
  /** When they proved it (epoch ms), in the issuer's own words; 0 where it does not say. */
  authenticatedAt: number;
  idToken?: string;
  /** The firm that they belong to from now on. */
  joined?: string;
}

/** The issuer's name for people. */
export const issuerHost = (): string => new URL(ours().issuer).hostname;

let known: { configuration: oidc.Configuration; issuer: string; at: number } | undefined;
let asked: Promise<oidc.Configuration> | undefined;

const knownFor = (lifetime: number): oidc.Configuration | undefined => {
  return known?.issuer === ours().issuer && now() - known.at < lifetime ? known.configuration : undefined;
};

/**
 * The issuer as it described itself within ten seconds, so that nobody is sent to one that is away, and a
 * crowd asks it once; UNAVAILABLE, with `away: 'issuer'`, when it does not answer or says it is another one.
 */
export async function issuerNow(): Promise<oidc.Configuration> {
  const fresh = knownFor(FRESH);
  if (fresh) return fresh;
  asked ??= discover().finally(() => (asked = undefined));
  return asked.catch((error: unknown) => {
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
  const isLocal = issuer.startsWith('http:'); // the configuration lets only an issuer on this machine be so
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
  // the signature is checked also of a token that came over TLS
  oidc.enableNonRepudiationChecks(configuration);
  known = { configuration, issuer, at: now() };
  return configuration;
}

/** A browser is sent there. */
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
 * Exchanges the code of an answer for who came; undefined when nobody here is that person. Whoever came with
 * an invitation, or as the first owner, is somebody here from now on. Throws when anything about it is not
 * right.
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

/** What the library leaves to its caller: for whom the token was made, and when. */
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
 * Only `email_verified: true` counts, from the token or from the issuer's own word on its subject
 * (threat-model.md T28).
 */
async function linkedByEmail(
  configuration: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
): Promise<string | undefined> {
  const said =
    claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await oidc.fetchUserInfo(configuration, accessToken, claims.sub)
      : claims;
  const { email, email_verified: verified } = said as { email?: unknown; email_verified?: unknown };
  return typeof email === 'string' && verified === true
    ? linkByEmail(email, claims.iss, claims.sub)
    : undefined;
}

const kept = new SqlAdapter('IdToken');
const KEPT_SECONDS = 12 * 3600; // no session lives longer

/**
 * Keeps what ends a sign-in at the issuer, encrypted, until the session is signed out; `sessionId` is the stored
 * hash.
 */
export const keepIdToken = (sessionId: string, idToken: string): Promise<void> =>
  kept.upsert(sessionId, { idToken }, KEPT_SECONDS);

/**
 * Where a sign-out goes on at the issuer, or undefined when it ends here: RP-initiated logout where the
 * issuer describes it, else OIDC_LOGOUT_URL with client_id and returnTo (spec 1 section 7). The browser comes
 * back to `returnTo`, an absolute address of ours.
 */
export async function issuerLogout(sessionId: string, returnTo: string): Promise<string | undefined> {
  const held = (await kept.find(sessionId)) as { idToken?: string } | undefined;
  await kept.destroy(sessionId);
  if (!config.oidc || config.oidc.logout === 'local') return undefined;
  const { clientId, logoutUrl } = config.oidc;
  // An issuer that is away has nobody to sign out of; the sign-out here is done all the same.
  const server = await issuerNow().then(
    (issuer) => issuer.serverMetadata(),
    () => undefined,
  );
  if (server?.end_session_endpoint !== undefined)
    return withQuery(server.end_session_endpoint, {
      client_id: clientId,
      post_logout_redirect_uri: returnTo,
      ...(held?.idToken !== undefined && { id_token_hint: held.idToken }),
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
