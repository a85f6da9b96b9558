import type { PasswordProblem } from '#features/identity/rules.ts';
import { minutesToWait, type PortalError, refusal } from '#platform/errors.server.ts';
import { flashCookie, type Flash } from '#platform/flash.server.ts';
import type { KeysOf } from '#platform/words.server.ts';
import { goTo } from './go-to.ts';

type T = (key: KeysOf<'access'>, vars?: Record<string, string | number>) => string;

/** Goes to a page and says there what happened. */
export function goAndSay(location: string, key: KeysOf<'access'>, vars: Flash['vars'] = {}, cookies: string[] = []): Response {
  return goTo(location, [flashCookie({ type: 'success', room: 'access', key, vars }), ...cookies]);
}

/** The text of a field of a form, without the blanks around it; a password is taken as it was typed. */
export const typedIn = (form: FormData | undefined, name: string): string => {
  const value = form?.get(name);
  return typeof value !== 'string' ? '' : name === 'password' ? value : value.trim();
};

/** What is wrong with a new password, or that there were too many tries, in the words of the page; anything else is thrown. */
export function saidAbout(error: unknown, t: T, busy: string): string {
  const no = refusal(error);
  const password = passwordIn(no);
  if (password) return t(password);
  if (no?.code === 'TOO_MANY') return t('tooMany', { count: minutesToWait(no) });
  if (no?.code === 'UNAVAILABLE') return busy;
  throw error;
}

const passwordIn = (no: PortalError | undefined): PasswordProblem | undefined => (no?.code === 'INVALID' ? (no.details['password'] as PasswordProblem | undefined) : undefined);
