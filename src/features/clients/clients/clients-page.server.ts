import { config } from '#platform/runtime/config.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { pageAddress } from '#platform/http/addresses.server.ts';

/** Pages that are about no client: from them a switch leads home. */
const ABOUT_NO_CLIENT = ['clients', 'auth', 'language', 'share', 'partials', 'not-authorized', 'notfound'];

/**
 * Where someone goes on who chose a client on the page `from`: the part of the portal that they were in,
 * without what there was about the client before (a folder, a chosen document), else home. A tab whose
 * address named its client names the new one: the page `from`, or the page of the choice itself (`isPinned`).
 */
export function placeAfterSwitch(
  lang: Lang,
  from: string | null,
  clientId: string,
  isPinned = false,
): string {
  const home = pageAddress(lang);
  const here = new URL(safeRedirect(from, config.origin, home), config.origin);
  const part = here.pathname.startsWith(home)
    ? (/^[a-z][a-z-]*(?=\/|$)/.exec(here.pathname.slice(home.length))?.[0] ?? '')
    : '';
  const place = pageAddress(lang, ABOUT_NO_CLIENT.includes(part) ? '' : part);
  return isPinned || here.searchParams.has('client')
    ? `${place}?client=${encodeURIComponent(clientId)}`
    : place;
}
