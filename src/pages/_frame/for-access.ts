import { flashCookie, type Flash } from '#platform/flash.server.ts';
import type { KeysOf } from '#platform/translations.server.ts';
import { redirectTo } from '#platform/redirect.server.ts';

/** Goes to a page and says there what happened. */
export function redirectWithFlash(
  location: string,
  key: KeysOf<'access'>,
  vars: Flash['vars'] = {},
): Response {
  return redirectTo(location, [flashCookie({ type: 'success', namespace: 'access', key, vars })]);
}

/** The text of a field of a form, without the blanks around it. */
export const typedIn = (form: FormData | undefined, name: string): string => {
  const value = form?.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
