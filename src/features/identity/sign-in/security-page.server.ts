import { firmOf } from '#features/base/firms/firms.server.ts';
import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { dropCookie, readCookie } from '#platform/http/cookies.server.ts';
import { minutesUntilRetry, type PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { newAppForm, passwordForm } from '#features/identity/second-factors/forms.server.ts';
import { demoCode } from '#features/identity/second-factors/totp.server.ts';
import { isEmbedded } from './sign-in.server.ts';
import {
  addOwnFactor,
  changePassword,
  factorsOf,
  hasPassword,
  removeOwnFactor,
  renewOwnCodes,
  startOwnTotp,
  totpToScan,
} from '#features/identity/second-factors/second-factors.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session' | 'demo'>;
}

/**
 * The message for a passkey that was refused, and for a second factor that may not be removed; anything else is
 * thrown.
 */
export function securityProblem(error: unknown, t: ReturnType<typeof translationsFor<'security'>>): string {
  const refused = refusal(error);
  if (refused?.code === 'TOO_MANY') return t('tooMany', { count: minutesUntilRetry(refused) });
  if (refused?.code === 'LOCKED') return t('lastOne');
  if (refused?.code === 'CODE_WRONG') return t('passkeyWrong');
  throw error;
}

/**
 * How somebody signs in, and what its buttons change. `codes` are the recovery codes that the page shows once;
 * `problem` is why nothing was changed. A new passkey gets the name of the `device`.
 */
export async function signInSettings(page: Page, device: string) {
  const { lang, pathTo, session } = page.locals;
  let codes: string[] | undefined;
  const destinations = destinationsOf(page);
  const { done, redirectRefusal } = destinations;
  const newPassword = await useForm(page, passwordForm, {
    submit: async (typed) => {
      await changePassword(session, typed);
      return done('passwordDone');
    },
    redirectRefusal,
  });
  if (newPassword instanceof Response) return newPassword;
  const newApp = await useForm(page, newAppForm, {
    submit: async ({ code }) => {
      codes = await addOwnFactor(session, { kind: 'totp', code });
      return codes ? undefined : done('addedDone'); // this page shows the recovery codes
    },
    redirectRefusal,
  });
  if (newApp instanceof Response) return newApp;
  let problem: string | undefined;
  try {
    const changed = await changeFactors(page, device, destinations);
    if (changed instanceof Response) return changed;
    codes ??= changed;
  } catch (error) {
    const refused = page.request.method === 'POST' ? refusal(error) : undefined;
    const destination = refused && redirectRefusal(refused);
    if (destination) return redirectTo(destination.to);
    problem = securityProblem(error, translationsFor(lang, 'security'));
    page.response.status = 422;
  }
  const confirmUrl = confirmPath(lang, pathTo('profile/security'));
  return { newPassword, newApp, codes, problem, confirmUrl, ...(await factorsToShow(page)) };
}

function destinationsOf({ locals: { lang, pathTo } }: Page) {
  const here = pathTo('profile/security');
  return {
    here,
    done: (key: KeysOf<'security'>) => ({
      to: here,
      flash: { type: 'success', namespace: 'security', key, vars: {} } as const,
      cookies: [dropCookie('passkey')],
    }),
    /** Step-up authentication comes first; what another tab has changed meanwhile is shown. */
    redirectRefusal: ({ code }: PortalError) => {
      if (code === 'STEP_UP') return { to: confirmPath(lang, here) };
      return code === 'NAME_CONFLICT' || code === 'NOT_FOUND' ? { to: here } : undefined;
    },
  };
}

/** Does what a button asks: answers where to go on, or with new recovery codes. */
async function changeFactors(
  { request, locals: { session } }: Page,
  device: string,
  { here, done }: ReturnType<typeof destinationsOf>,
): Promise<Response | string[] | undefined> {
  const posted = request.method === 'POST' ? await formOf(request) : undefined;
  const value = (name: string): string => String(posted?.get(name) ?? '');
  const leave = (key: KeysOf<'security'>): Response => {
    const { to, flash, cookies } = done(key);
    return redirectTo(to, [flashCookie(flash), ...cookies]);
  };
  switch (value('act')) {
    case 'start-totp':
      await startOwnTotp(session);
      return redirectTo(`${here}#app`);
    case 'remove':
      await removeOwnFactor(session, value('factor'));
      return leave('removed');
    case 'renew-codes':
      return renewOwnCodes(session);
    case 'passkey': {
      const codes = await addOwnFactor(session, {
        kind: 'passkey',
        name: device,
        credential: value('credential'),
        challenge: readCookie(request.headers.get('cookie'), 'passkey'),
      });
      return codes ?? leave('addedDone');
    }
    default:
      return undefined;
  }
}

async function factorsToShow({ locals: { session, demo } }: Page) {
  const { actor } = session;
  const factors = await factorsOf(actor.prismGuid);
  const mayChange = isRecentlyAuthenticated(session);
  const scan =
    mayChange && !factors.totp
      ? await totpToScan(actor.prismGuid, (await firmOf(actor.companyId)).name)
      : undefined;
  return {
    factors,
    /** What would hurt in the wrong hands is only offered after recent authentication. */
    mayChange,
    withPassword: isEmbedded() && (await hasPassword(actor.prismGuid)),
    scan,
    demoCode: demo && scan ? await demoCode(actor.prismGuid) : undefined,
  };
}
