import http from 'node:http';
import { text } from 'node:stream/consumers';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { accountsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { MINUTE, SECOND } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { dropCookie, setCookie } from '#platform/cookies.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { log } from '#platform/log.server.ts';
import { secretMatches } from '#platform/passwords.server.ts';
import { admitGuess, rightGuess, sweepNetworks } from './guessing.server.ts';
import { issuerNow, redeemExternal, type Proof as IssuersProof } from './external.server.ts';
import type { Proof } from './identity.ts';
import { proveByPasskey } from './passkeys.server.ts';
import { pendingSignIn, startPending, takePending } from './pending.server.ts';
import { CLIENT_ID, clientSecret, MOUNT } from './provider.server.ts';
import { sweepResets } from './reset.server.ts';
import { hasFactor, prove } from './second-factors.server.ts';
import { addTicket, addTransaction, sweepSignIns as sweepTickets, takeTransaction, userByEmail, userByGuid, type SignInTransaction } from './store.server.ts';
import { forgetProviderSession, TICKET_SECONDS, ticketCookie } from './ticket-cookie.server.ts';

export { isIssuerAway, issuerLogout, keepIdToken } from './external.server.ts';
export { linkIdentity } from './identities.server.ts';
export { answerOidc } from './provider.server.ts';
export { challengeFor, passkeysWork } from './passkeys.server.ts';
export { createFirstOwner, firstOwnerIsOpen, firstOwnerLink } from './first-owner.server.ts';
export { acceptInvitation, invite, listInvitations, revokeInvitation, sendAgain, viewInvitation } from './invitations.server.ts';
export { pendingSignIn } from './pending.server.ts';
export { contactToRescue, issueRescueCode, rescue } from './rescue.server.ts';
export { askForReset, resetIsOpen, resetPassword } from './reset.server.ts';
export { addFactorAtSignIn, addOwnFactor, changePassword, factorsOf, firmOfPending, hasPassword, prove, removeOwnFactor, renewOwnCodes, signInToSetUp, startOwnTotp, startTotpAtSignIn, totpToScan, userNameOf } from './second-factors.server.ts';
export { forgetProviderSession } from './ticket-cookie.server.ts';
export { forgetSignIns } from './store.server.ts';
export { demoCode } from './totp.server.ts';

/** Removes what nobody can use any more. */
export async function sweepSignIns(): Promise<void> {
  await Promise.all([sweepTickets(), sweepResets(), sweepNetworks()]);
}

/** One scheme and host that this very process answers on; the relying party reaches the embedded provider there. */
let ownAddress = config.origin;
export function setOwnAddress(address: string): void {
  ownAddress = address;
}

/** True when the embedded provider signs people in, false when `OIDC_ISSUER` names another one. */
export const isEmbedded = (): boolean => config.oidc === undefined;

const TRANSACTION = 10 * MINUTE;
interface Started {
  /** Where the browser goes next. */
  location: string;
  cookies: string[];
}

/**
 * Checks a password and starts the code flow. Wrong e-mail and wrong password answer alike, SIGN_IN_FAILED, and take the same time;
 * TOO_MANY where {@link admitGuess} says so (security.md T32, T33). Who has a second step, or must have one, goes to its page first: until
 * it is done there is neither a ticket nor a session.
 */
export async function signInWithPassword(input: { email: string; password: string; network: string; lang: string; returnTo: string }): Promise<Started> {
  if (!isEmbedded()) throw new PortalError('SIGN_IN_FAILED'); // the issuer asks for proofs, not we
  const user = await userByEmail(input.email);
  await admitGuess(input, user?.prism_guid);
  if (!(await secretMatches(input.password, user?.password_hash)) || !user) throw new PortalError('SIGN_IN_FAILED');
  await rightGuess(input, user.prism_guid);
  const { lang, returnTo } = input;
  const isSetUp = await hasFactor(user.prism_guid);
  if (!isSetUp && user.mfa_required === 0) return continueAs(user.prism_guid, ['pwd'], lang, returnTo);
  const location = `/${config.base}/${lang}/auth/${isSetUp ? 'second-step' : 'mfa-required'}`;
  return { location, cookies: [await startPending({ prismGuid: user.prism_guid, amr: ['pwd'], returnTo })] };
}

/** Takes the second step of a pending sign-in and starts the code flow; CODE_WRONG, TOO_MANY, or SIGN_IN_FAILED when nothing is pending. */
export async function takeSecondStep(token: string | undefined, proof: Exclude<Proof, { kind: 'password' }>, challenge: string | undefined, lang: string): Promise<Started> {
  const pending = await pendingSignIn(token);
  if (!pending || token === undefined) throw new PortalError('SIGN_IN_FAILED');
  const how = await prove(pending.prismGuid, proof, challenge);
  return finishPending(token, how, lang);
}

/** Goes on with a sign-in whose second step was just set up, and so proved; SIGN_IN_FAILED when it was not. */
export async function goOnAfterSetUp(token: string | undefined, lang: string): Promise<Started> {
  const pending = await pendingSignIn(token);
  if (!pending?.amr.includes('mfa') || token === undefined) throw new PortalError('SIGN_IN_FAILED');
  return finishPending(token, [], lang);
}

async function finishPending(token: string, how: readonly string[], lang: string): Promise<Started> {
  const taken = await takePending(token);
  if (!taken) throw new PortalError('SIGN_IN_FAILED');
  const started = await continueAs(taken.prismGuid, [...new Set([...taken.amr, ...how])], lang, taken.returnTo);
  return { ...started, cookies: [...started.cookies, dropCookie('pending'), dropCookie('passkey')] };
}

/** Signs in by a passkey alone, which is two proofs in one: the device, and the finger, face or PIN that it asks for. CODE_WRONG. */
export async function signInWithPasskey({ credential, challenge, lang, returnTo }: { credential: string; challenge: string | undefined; lang: string; returnTo: string }): Promise<Started> {
  const prismGuid = await proveByPasskey(credential, challenge);
  const started = await continueAs(prismGuid, ['pop', 'user', 'mfa'], lang, returnTo);
  return { ...started, cookies: [...started.cookies, dropCookie('passkey')] };
}

/** The code flow of somebody who has proved to this portal who they are. */
async function continueAs(prismGuid: string, amr: readonly string[], lang: string, returnTo: string): Promise<Started> {
  const ticket = await addTicket(prismGuid, amr, TICKET_SECONDS * SECOND);
  const started = await startSignIn(lang, returnTo);
  return { ...started, cookies: [...started.cookies, ticketCookie(ticket), ...forgetProviderSession()] };
}

/** Starts the code flow with the issuer: PKCE, state and nonce, bound to this browser by a cookie. UNAVAILABLE when another issuer does not answer. */
export async function startSignIn(lang: string, returnTo: string): Promise<Started> {
  const redirectUri = `${config.origin}/${config.base}/${lang}/auth`;
  const transaction = { state: oidc.randomState(), nonce: oidc.randomNonce(), code_verifier: oidc.randomPKCECodeVerifier(), redirect_uri: redirectUri, return_to: returnTo };
  const location = oidc.buildAuthorizationUrl(await issuer(), {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(transaction.code_verifier),
    code_challenge_method: 'S256',
    state: transaction.state,
    nonce: transaction.nonce,
    ui_locales: lang,
    prompt: 'login',
  });
  const cookie = setCookie('signin', await addTransaction(transaction, TRANSACTION), TRANSACTION / SECOND);
  return { location: location.href, cookies: [cookie] };
}

/**
 * Exchanges an auth code and state for the one who signed in (spec 1 section 4, authentication guard), with how, and the page first
 * asked for; refuses with SIGN_IN_FAILED, FIRM_LOCKED_OUT or MFA_AUTHENTICATION_REQUIRED, and `returnTo` where it is known. `idToken` is
 * given by another issuer only.
 */
export async function finishSignIn(callback: URL, transactionToken: string | undefined): Promise<{ actor: Actor; amr: string[]; returnTo: string; idToken?: string }> {
  const transaction = transactionToken === undefined ? undefined : await takeTransaction(transactionToken, callback.searchParams.get('state') ?? '');
  if (!transaction) {
    log.warn({ event: 'sign-in.refused' });
    throw new PortalError('SIGN_IN_FAILED');
  }
  const returnTo = transaction.return_to;
  const refuse = (code: 'SIGN_IN_FAILED' | 'FIRM_LOCKED_OUT' | 'MFA_AUTHENTICATION_REQUIRED'): PortalError => new PortalError(code, { returnTo });
  const proof = await redeem(callback, transaction).catch((error: unknown) => {
    log.warn({ event: 'sign-in.refused', err: error });
    throw refuse('SIGN_IN_FAILED');
  });
  const user = proof && (await userByGuid(proof.prismGuid));
  if (!user) throw refuse('SIGN_IN_FAILED');
  const accounts = await accountsOf(user.prism_guid);
  const open = accounts.find((account) => !account.firmLocked);
  if (!open) throw refuse(accounts.length > 0 ? 'FIRM_LOCKED_OUT' : 'SIGN_IN_FAILED');
  const wantsMore = user.mfa_required === 1 || (isEmbedded() && (await hasFactor(user.prism_guid)));
  if (wantsMore && !proof.amr.includes('mfa')) throw refuse('MFA_AUTHENTICATION_REQUIRED');
  return { actor: open, amr: proof.amr, returnTo, ...(proof.idToken !== undefined && { idToken: proof.idToken }) };
}

async function redeem(callback: URL, transaction: SignInTransaction): Promise<IssuersProof | undefined> {
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
  return { prismGuid: claims.sub, amr: z.array(z.string().max(20)).min(1).max(10).catch(['pwd']).parse(claims['amr']) };
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
  oidc.allowInsecureRequests(configuration); // the provider is this very process: the requests stay on this machine
  configuration[oidc.customFetch] = (url, { method, headers, body }) => askOurselves(url.replace(config.origin, ownAddress), method, headers, String(body ?? ''));
  return configuration;
}

/** Asks this very process under the portal's public name. `fetch` would write the address itself into the Host header, which the front door refuses. */
function askOurselves(url: string, method: string, headers: Record<string, string>, body: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: { ...headers, host: new URL(config.origin).host } }, (answer) => {
      const { 'content-type': type = '' } = answer.headers;
      text(answer).then((said) => resolve(new Response(said, { status: answer.statusCode ?? 500, headers: { 'content-type': type } })), reject);
    });
    request.on('error', reject).end(body);
  });
}
