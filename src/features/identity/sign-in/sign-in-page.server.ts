import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { endSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { renewSession } from '#features/identity/sessions/devices.server.ts';
import { confirmPath, inLanguage } from '#platform/http/addresses.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { dropCookie, readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { minutesUntilRetry, type PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { languageOf, type Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { isIssuerAway, keepIdToken } from '#features/identity/external-sign-in/external-sign-in.server.ts';
import {
  finishSignIn,
  signInWithPasskey,
  signInWithPassword,
  startAtIssuer,
  type SignedIn,
} from './sign-in.server.ts';
import { credentials, PAGE_OF_REASON } from './sign-in.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number; headers: Headers };
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'network' | 'optionalSession'>;
}

const cookieOf = ({ request }: Page, name: Parameters<typeof readCookie>[1]): string | undefined =>
  readCookie(request.headers.get('cookie'), name);

/** Whether the address of the sign-in page is an issuer's answer. */
export const isAnswerOfIssuer = ({ url }: Page): boolean =>
  ['state', 'code', 'error'].some((name) => url.searchParams.has(name));

/** Takes the answer of an issuer: starts a session, or notes in the present one that the person was authenticated. */
export async function takeAnswerOfIssuer(page: Page): Promise<Response> {
  try {
    return await signedIn(page, await finishSignIn(page.url, cookieOf(page, 'signin')));
  } catch (error) {
    const refused = refusal(error);
    if (!refused) throw error;
    return refusedByIssuer(page, refused);
  }
}

async function signedIn(page: Page, proof: SignedIn): Promise<Response> {
  const { lang, pathTo, network, optionalSession: session } = page.locals;
  const { actor, amr, authenticatedAt, returnTo, idToken } = proof;
  const isSame = session?.actor.prismGuid === actor.prismGuid;
  if (proof.isStepUp && session && !isSame)
    return redirectTo(confirmPath(lang, returnTo, 'other'), [dropCookie('signin')]);
  const device = { userAgent: page.request.headers.get('user-agent') ?? '', network };
  const renewed = proof.isStepUp && session ? await renewSession(session, amr, authenticatedAt) : undefined;
  const token = renewed?.token ?? (await startSession(actor, { amr, authenticatedAt, device }));
  if (idToken !== undefined) await keepIdToken(sha256(token), idToken);
  // signing in starts a new session, and the one of before is over (threat-model.md T22)
  if (session && !renewed) await endSession(session.id);
  // Nobody chose this language: it was the browser's. The person's own is known now (spec 1 section 4,
  // Language).
  const isGuess = cookieOf(page, 'guess') === lang;
  const own = isGuess ? languageOf(actor.language) : undefined;
  const target = safeRedirect(returnTo, config.origin, pathTo());
  return redirectTo(own ? inLanguage(target, own) : target, [
    setCookie('sid', token),
    setCookie('theme', actor.companyId, 31_536_000),
    dropCookie('signin'),
    ...(isGuess ? [dropCookie('guess')] : []),
    ...(proof.hasJoined ? [await welcomeTo(actor.companyId)] : []),
  ]);
}

const welcomeTo = async (companyId: string): Promise<string> =>
  flashCookie({
    type: 'success',
    namespace: 'access',
    key: 'linked',
    vars: { firm: (await firmOf(companyId)).name },
  });

function refusedByIssuer({ locals }: Page, { code, details }: PortalError): Response {
  const { lang, pathTo, optionalSession: session } = locals;
  const page =
    code in PAGE_OF_REASON ? PAGE_OF_REASON[code as keyof typeof PAGE_OF_REASON] : 'auth/signin-error';
  const returnTo = safeRedirect(String(details['returnTo'] ?? ''), config.origin, pathTo());
  const { because, companyId: firm } = details;
  if (details['isStepUp'] === true && session)
    return redirectTo(confirmPath(lang, returnTo, because === undefined ? 'failed' : 'other'), [
      dropCookie('signin'),
    ]);
  return redirectTo(
    pathTo(page, {
      ...(typeof because === 'string' && { because }),
      // the page is that of the firm, which is known by then
      ...(typeof firm === 'string' && { firm }),
      r: returnTo,
    }),
    details['returnTo'] === undefined ? [] : [dropCookie('signin')],
  ); // an answer that was not of this sign-in leaves it alone
}

/** Leads to the issuer; `busy` when too many sign-ins began from here within a minute, `away` when it does not answer. */
export async function goToIssuer(page: Page, returnTo: string): Promise<Response | 'busy' | 'away'> {
  const { lang, network } = page.locals;
  try {
    const { location, cookies } = await startAtIssuer({ lang, returnTo, network });
    return redirectTo(location, cookies);
  } catch (error) {
    const isBusy = refusal(error)?.code === 'TOO_MANY';
    if (!isBusy && !isIssuerAway(error)) throw error;
    page.response.status = isBusy ? 429 : 503;
    page.response.headers.set('Retry-After', '10');
    return isBusy ? 'busy' : 'away';
  }
}

/** Why a sign-in failed, and the field beside which it is said. */
export interface SignInProblem {
  text: string;
  at: 'email' | 'password' | 'main';
}

/** Signs in with what was typed, or with a passkey: answers where to go on, or why not. */
export async function signInByForm(
  page: Page,
  form: FormData,
  returnTo: string,
): Promise<Response | SignInProblem> {
  const answer =
    form.get('act') === 'passkey'
      ? await byPasskey(page, form, returnTo)
      : await byPassword(page, form, returnTo);
  if (!(answer instanceof Response)) page.response.status = 422;
  return answer;
}

async function byPasskey(page: Page, form: FormData, returnTo: string): Promise<Response | SignInProblem> {
  const { lang } = page.locals;
  try {
    const { location, cookies } = await signInWithPasskey({
      credential: String(form.get('credential') ?? ''),
      challenge: cookieOf(page, 'passkey'),
      lang,
      returnTo,
    });
    return redirectTo(location, cookies);
  } catch (error) {
    if (refusal(error)?.code !== 'CODE_WRONG') throw error;
    return { text: translationsFor(lang, 'security')('passkeyWrong'), at: 'main' };
  }
}

async function byPassword(page: Page, form: FormData, returnTo: string): Promise<Response | SignInProblem> {
  const { lang, network } = page.locals;
  const email = String(form.get('email') ?? '');
  const typed = credentials.safeParse({ email, password: String(form.get('password') ?? '') });
  if (!typed.success)
    return {
      text: translationsFor(lang, 'auth')('missing'),
      at: email.trim() === '' ? 'email' : 'password',
    };
  try {
    const { location, cookies } = await signInWithPassword({
      ...typed.data,
      network,
      device: cookieOf(page, 'device'),
      lang,
      returnTo,
    });
    return redirectTo(location, cookies);
  } catch (error) {
    const text = refusedSignIn(lang, refusal(error));
    if (text === undefined) throw error;
    return { text, at: 'password' };
  }
}

function refusedSignIn(lang: Lang, refused: PortalError | undefined): string | undefined {
  const t = translationsFor(lang, 'auth');
  if (refused?.code === 'SIGN_IN_FAILED') return t('wrong');
  if (refused?.details['locked']) return translationsFor(lang, 'access')('passwordLocked');
  if (refused?.code === 'TOO_MANY') return t('tooMany', { count: minutesUntilRetry(refused) });
  return refused?.code === 'UNAVAILABLE' ? t('busy') : undefined;
}

/** The contact for people who cannot sign in: the firm's telephone, else its address, else none. */
export function helpToSignIn(lang: Lang, firm: Firm | undefined): string {
  const t = translationsFor(lang, 'auth');
  if (!firm) return t('helpNoFirm');
  return firm.phone === ''
    ? t('helpByMail', { firm: firm.name, email: firm.email })
    : t('help', { firm: firm.name, phone: firm.phone.replaceAll(' ', '\u00A0') }); // on one line
}
