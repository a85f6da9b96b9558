import http from 'node:http';
import { text } from 'node:stream/consumers';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { accountNamed, accountsOf, needsSecondStep } from '#features/base/people/people.server.ts';
import { namedIn, type Actor } from '#features/base/people/people.ts';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { dropCookie, setCookie } from '#platform/http/cookies.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { admitGuess, rightGuess } from '#features/identity/credentials/brute-force.server.ts';
import {
  issuerNow,
  redeemExternal,
  type Proof as IssuersProof,
} from '#features/identity/external-sign-in/external-sign-in.server.ts';
import type { PAGE_OF_REASON } from './sign-in.ts';
import type { Proof } from '#features/identity/second-factors/second-factors.ts';
import type { Purpose } from '#features/identity/external-sign-in/external-sign-in.ts';
import { ownerOfPasskey, proveByPasskey } from '#features/identity/second-factors/passkeys.server.ts';
import {
  pendingSignIn,
  startPending,
  takePending,
} from '#features/identity/second-factors/pending.server.ts';
import { CLIENT_ID, clientSecret, MOUNT } from './provider.server.ts';
import { notingRefusals, noteRefusal } from '#features/identity/credentials/refusals.server.ts';
import { hasFactor, prove } from '#features/identity/second-factors/second-factors.server.ts';
import { addTicket } from './tickets.server.ts';
import { addTransaction, takeTransaction, TRANSACTION_LASTS } from './transactions.server.ts';
import { userByEmail, userByGuid } from '#features/identity/credentials/users.server.ts';
import type { StartedTransaction } from '#features/identity/external-sign-in/transaction.server.ts';
import { forgetProviderSession, TICKET_SECONDS, ticketCookie } from './ticket-cookie.server.ts';

/**
 * A scheme and host on which this very process listens, where the relying party reaches the embedded
 * provider.
 */
let ownAddress = config.origin;
export function setOwnAddress(address: string): void {
  ownAddress = address;
}

/** True if the embedded provider signs people in, false if `OIDC_ISSUER` names another one. */
export const isEmbedded = (): boolean => config.oidc === undefined;

interface Started {
  /** The redirect target of the browser. */
  location: string;
  cookies: string[];
}

/**
 * Checks a password and starts the code flow. A wrong address and a wrong password give the same error,
 * SIGN_IN_FAILED, after the same time; TOO_MANY as in {@link admitGuess} (threat-model.md T32, T33). People
 * with a second factor, or who must have one, go to its page first: until then there is neither a ticket nor
 * a session.
 */
export async function signInWithPassword(input: PasswordSignIn): Promise<Started> {
  if (!isEmbedded()) throw new PortalError('SIGN_IN_FAILED'); // the issuer asks for second factors, not the portal
  const user = await notingRefusals({ email: input.email }, 'password', () => userByPassword(input));
  const device = await rightGuess(input, user.prism_guid);
  const { lang, returnTo } = input;
  const isSetUp = await hasFactor(user.prism_guid);
  if (!isSetUp && !(await needsSecondStep(user.prism_guid))) {
    const started = await continueAs(user.prism_guid, ['pwd'], lang, returnTo);
    return { ...started, cookies: [...started.cookies, device] };
  }
  const location = `/${config.base}/${lang}/auth/${isSetUp ? 'second-step' : 'mfa-required'}`;
  return {
    location,
    cookies: [await startPending({ prismGuid: user.prism_guid, amr: ['pwd'], returnTo }), device],
  };
}

interface PasswordSignIn {
  email: string;
  password: string;
  network: string;
  /** The cookie that identifies a known browser, if there is one. */
  device?: string | undefined;
  lang: string;
  returnTo: string;
}

async function userByPassword(input: PasswordSignIn): Promise<User> {
  const user = await userByEmail(input.email);
  await admitGuess(input, user?.prism_guid);
  if (!(await secretMatches(input.password, user?.password_hash)) || !user)
    throw new PortalError('SIGN_IN_FAILED');
  return user;
}

type User = NonNullable<Awaited<ReturnType<typeof userByEmail>>>;

/**
 * Takes the second factor of a pending sign-in and starts the code flow; CODE_WRONG, TOO_MANY, or
 * SIGN_IN_FAILED without a pending sign-in.
 */
export async function takeSecondStep(
  token: string | undefined,
  proof: Exclude<Proof, { kind: 'password' }>,
  challenge: string | undefined,
  lang: string,
): Promise<Started> {
  const pending = await pendingSignIn(token);
  if (!pending || token === undefined) throw new PortalError('SIGN_IN_FAILED');
  const how = await prove(pending.prismGuid, proof, challenge);
  return finishPending(token, how, lang);
}

/**
 * Continues a sign-in whose second factor was just set up, and thereby proved; SIGN_IN_FAILED if it was not.
 */
export async function goOnAfterSetUp(token: string | undefined, lang: string): Promise<Started> {
  const pending = await pendingSignIn(token);
  if (!pending?.amr.includes('mfa') || token === undefined) throw new PortalError('SIGN_IN_FAILED');
  return finishPending(token, [], lang);
}

async function finishPending(token: string, how: readonly string[], lang: string): Promise<Started> {
  const taken = await takePending(token);
  if (!taken) throw new PortalError('SIGN_IN_FAILED');
  const started = await continueAs(
    taken.prismGuid,
    [...new Set([...taken.amr, ...how])],
    lang,
    taken.returnTo,
  );
  return { ...started, cookies: [...started.cookies, dropCookie('pending'), dropCookie('passkey')] };
}

/**
 * Signs in with a passkey alone, which counts as two factors: the device, and the biometric or PIN that it
 * requires. CODE_WRONG.
 */
export async function signInWithPasskey({
  credential,
  challenge,
  lang,
  returnTo,
}: {
  credential: string;
  challenge: string | undefined;
  lang: string;
  returnTo: string;
}): Promise<Started> {
  const owner = await ownerOfPasskey(credential);
  const prismGuid = await notingRefusals({ prismGuid: owner }, 'passkey', () =>
    proveByPasskey(credential, challenge),
  );
  const started = await continueAs(prismGuid, ['pop', 'user', 'mfa'], lang, returnTo);
  return { ...started, cookies: [...started.cookies, dropCookie('passkey')] };
}

/** Starts the code flow for somebody authenticated by this portal. */
async function continueAs(
  prismGuid: string,
  amr: readonly string[],
  lang: string,
  returnTo: string,
): Promise<Started> {
  const ticket = await addTicket(prismGuid, amr, TICKET_SECONDS * SECOND);
  const started = await startSignIn(lang, returnTo);
  return { ...started, cookies: [...started.cookies, ticketCookie(ticket), ...forgetProviderSession()] };
}

/**
 * The number of sign-ins at an external issuer that one network can start within a minute: each creates a
 * row.
 */
const MAX_STARTS = 120;

/** Starts a sign-in at an external issuer for anybody; TOO_MANY, or UNAVAILABLE if it does not respond. */
export async function startAtIssuer(to: {
  lang: string;
  returnTo: string;
  network: string;
  purpose?: Purpose;
}): Promise<Started> {
  await consumeForNetwork('sign-in-start', to.network, MAX_STARTS, MINUTE);
  return startSignIn(to.lang, to.returnTo, to.purpose);
}

/**
 * Starts the code flow with the issuer: PKCE, state and nonce, bound to this browser by a cookie. UNAVAILABLE
 * if an external issuer does not respond.
 */
export async function startSignIn(
  lang: string,
  returnTo: string,
  purpose: Purpose = { kind: 'sign-in' },
): Promise<Started> {
  const redirectUri = `${config.origin}/${config.base}/${lang}/auth`;
  const transaction = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    code_verifier: oidc.randomPKCECodeVerifier(),
    redirect_uri: redirectUri,
    return_to: returnTo,
    purpose,
  };
  const location = oidc.buildAuthorizationUrl(await issuer(), {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(transaction.code_verifier),
    code_challenge_method: 'S256',
    state: transaction.state,
    nonce: transaction.nonce,
    ui_locales: lang,
    prompt: 'login',
    ...(!isEmbedded() && { max_age: '0' }), // so that it reports when the person authenticated (auth_time)
  });
  const cookie = setCookie('signin', await addTransaction(transaction), TRANSACTION_LASTS / SECOND);
  return { location: location.href, cookies: [cookie] };
}

export interface SignedIn {
  actor: Actor;
  amr: string[];
  /** When they authenticated (epoch ms). */
  authenticatedAt: number;
  /** The page first requested. */
  returnTo: string;
  /** Whether this was a step-up of somebody already signed in. */
  isStepUp: boolean;
  /** Whether they have only now been added to the actor's firm. */
  hasJoined: boolean;
  /** Set by an external issuer only. */
  idToken?: string;
}

/**
 * Exchanges an authorization code and state for the person who signed in (spec 1 section 4, authentication
 * guard). Throws SIGN_IN_FAILED, FIRM_LOCKED_OUT or MFA_AUTHENTICATION_REQUIRED; for a sign-in started by
 * this browser with `returnTo` and `isStepUp`, and `because` if the person has no user here (`unknown`), is
 * somebody else (`other`), or if their link was used meanwhile (`gone`).
 */
export async function finishSignIn(callback: URL, transactionToken: string | undefined): Promise<SignedIn> {
  const transaction =
    transactionToken === undefined
      ? undefined
      : await takeTransaction(transactionToken, callback.searchParams.get('state') ?? '');
  if (!transaction) {
    log.warn({ event: 'sign-in.refused' });
    throw new PortalError('SIGN_IN_FAILED');
  }
  const returnTo = transaction.return_to;
  const isStepUp = transaction.purpose.kind === 'step-up';
  const refuse = (code: keyof typeof PAGE_OF_REASON | 'SIGN_IN_FAILED', because?: string): PortalError => {
    return new PortalError(code, { returnTo, isStepUp, ...(because !== undefined && { because }) });
  };
  const proof = await redeem(callback, transaction).catch((error: unknown) => {
    log.warn({ event: 'sign-in.refused', err: error });
    const problem = refusal(error);
    throw refuse(
      'SIGN_IN_FAILED',
      problem?.code === 'GONE' ? 'gone' : problem?.code === 'FORBIDDEN' ? 'other' : undefined,
    );
  });
  const user = proof && (await userByGuid(proof.prismGuid));
  if (!user) throw refuse('SIGN_IN_FAILED', 'unknown');
  const accounts = await accountsOf(user.prism_guid);
  const { joined } = proof;
  const own = accounts.filter(({ companyId }) => joined === undefined || companyId === joined);
  const open = await accountToOpen(own, returnTo);
  const how = isEmbedded() ? 'password' : 'issuer';
  if (!open) {
    await noteRefusal('refused', { prismGuid: user.prism_guid }, how);
    throw accounts.length > 0
      ? new PortalError('FIRM_LOCKED_OUT', {
          returnTo,
          isStepUp,
          companyId: (own[0] ?? accounts[0])?.companyId,
        })
      : refuse('SIGN_IN_FAILED');
  }
  const wantsMore =
    (await needsSecondStep(user.prism_guid)) || (isEmbedded() && (await hasFactor(user.prism_guid)));
  if (wantsMore && !proof.amr.includes('mfa')) {
    await noteRefusal('refused', { prismGuid: user.prism_guid }, how);
    throw refuse('MFA_AUTHENTICATION_REQUIRED');
  }
  const { amr, authenticatedAt, idToken } = proof;
  const hasJoined = joined !== undefined;
  return {
    actor: open,
    amr,
    authenticatedAt,
    returnTo,
    isStepUp,
    hasJoined,
    ...(idToken !== undefined && { idToken }),
  };
}

/**
 * Chooses the account that a sign-in opens: the one for the requested page, else the one last used; never one
 * of a locked firm.
 */
async function accountToOpen(
  accounts: Awaited<ReturnType<typeof accountsOf>>,
  returnTo: string,
): Promise<Actor | undefined> {
  const open = accounts.filter((account) => !account.firmLocked);
  const named = namedIn(new URL(returnTo, config.origin));
  return (named && (await accountNamed(open, named))) ?? open[0];
}

async function redeem(callback: URL, transaction: StartedTransaction): Promise<IssuersProof | undefined> {
  const current = new URL(transaction.redirect_uri);
  current.search = callback.search;
  if (!isEmbedded()) return redeemExternal(current, transaction);
  const tokens = await oidc.authorizationCodeGrant(await issuer(), current, {
    expectedState: transaction.state,
    expectedNonce: transaction.nonce,
    pkceCodeVerifier: transaction.code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims?.sub) throw new Error('the identity token names nobody');
  return {
    prismGuid: claims.sub,
    authenticatedAt: now(),
    amr: z.array(z.string().max(20)).min(1).max(10).catch(['pwd']).parse(claims['amr']),
  };
}

let embedded: oidc.Configuration | undefined;

function issuer(): Promise<oidc.Configuration> {
  return isEmbedded() ? Promise.resolve((embedded ??= embeddedIssuer())) : issuerNow();
}

function embeddedIssuer(): oidc.Configuration {
  const address = `${config.origin}${MOUNT}`;
  const configuration = new oidc.Configuration(
    {
      issuer: address,
      authorization_endpoint: `${address}/auth`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/jwks`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
    },
    CLIENT_ID,
    { client_secret: clientSecret(), id_token_signed_response_alg: 'ES256' },
    oidc.ClientSecretBasic(clientSecret()),
  );
  // the provider is this very process: the requests stay on this machine
  oidc.allowInsecureRequests(configuration);
  configuration[oidc.customFetch] = (url, { method, headers, body }) =>
    askOurselves(url.replace(config.origin, ownAddress), method, headers, String(body ?? ''));
  return configuration;
}

/**
 * Sends a request to this very process with the portal's public host name. `fetch` would set the Host header
 * to the address itself, which the portal refuses.
 */
function askOurselves(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method, headers: { ...headers, host: new URL(config.origin).host } },
      (answer) => {
        const { 'content-type': type = '' } = answer.headers;
        text(answer).then(
          (content) =>
            resolve(
              new Response(content, { status: answer.statusCode ?? 500, headers: { 'content-type': type } }),
            ),
          reject,
        );
      },
    );
    request.on('error', reject).end(body);
  });
}
