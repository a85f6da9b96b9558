import { PARTS, SAVED_AT } from './offline.ts';

/*
 * The pages that the service worker shows without a connection, as texts. They run no script, send no form and load nothing
 * from elsewhere: their own policy sees to that.
 */

/** More pages are not kept. */
export const MAX_COPIES = 12;
/** A longer page is not kept (characters). */
const MAX_LENGTH = 200_000;

/** The headers of what is shown without a connection. */
export const COPY_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Whether a write may change who uses this browser, or what is kept of them: all copies are deleted then. */
export const changesPerson = (method: string, path: string): boolean =>
  method !== 'GET' &&
  /\/auth(?:\/|$)|\/account-switch|\/view-as|\/api\/security\/|\/profile\/offline/.test(path);

/** Whether an address is a page, and not a file, which browsers download best by themselves. */
export const isPage = (path: string, base: string): boolean =>
  path.startsWith(base) &&
  !/\.\w+$|\/download$|\/documents\/doc\w*$|\/export\/|\/partials\/|\/calendar\//.test(path);

/** Whether a file decides how pages look. */
export const isLook = (path: string): boolean => /^\/(?:_astro\/.+\.css|icons\.svg|theme\/.+)$/.test(path);

/** A page as it is kept: without scripts, and with nothing to press or type; undefined if it is too long. */
export function copyOf(html: string): string | undefined {
  if (html.length > MAX_LENGTH) return undefined;
  return html
    .replaceAll(/<script\b[^>]*>.*?<\/script>/gs, '')
    .replaceAll(/<link rel="(?:manifest|apple-touch-icon|icon)"[^>]*>/g, '')
    .replaceAll(/<(button|input|select|textarea)\b/g, '<$1 disabled');
}

/** The files that decide how a page looks. */
export const looksOf = (html: string): string[] => [
  ...new Set(html.match(/(?<=")\/(?:_astro\/[^"]+\.css|icons\.svg|theme\/[^"]+)/g)),
];

/** The title of a page, as HTML. */
export const titleOf = (html: string): string => /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '';

/** The language of a page, for its dates. */
const localeOf = (html: string): string => /<html\s[^>]*?lang="([\w-]+)"/.exec(html)?.[1] ?? 'en-US';

/** When something was saved, as the page would write it. */
const moment = (at: number, html: string): string =>
  new Date(at).toLocaleString(localeOf(html), { dateStyle: 'medium', timeStyle: 'short' });

const partOf = (html: string, name: keyof typeof PARTS): string =>
  new RegExp(`<!--${PARTS[name]}-->(.*?)<!--/${PARTS[name]}-->`, 's').exec(html)?.[1] ?? '';

const replacePart = (html: string, name: keyof typeof PARTS, by: string): string =>
  html.replace(new RegExp(`<!--${PARTS[name]}-->.*?<!--/${PARTS[name]}-->`, 's'), () => by);

/** A page that was kept, as it is shown: it says since when. `offlinePage` has the words. */
export const shownCopy = (html: string, savedAt: number, offlinePage: string): string => {
  const notice = partOf(offlinePage, 'notice').replace(SAVED_AT, () => moment(savedAt, html));
  return html.replace(/<main\b[^>]*>/, (main) => main + notice);
};

export interface Saved {
  href: string;
  /** HTML. */
  title: string;
  at: number;
}

/** The page that says that there is no connection, and what can be read, the newest first. */
export function shownOfflinePage(offlinePage: string, saved: readonly Saved[]): string {
  const items = saved
    .toSorted((a, b) => b.at - a.at)
    .map(
      ({ href, title, at }) =>
        `<li><a href="${attribute(href)}">${title}</a> (${moment(at, offlinePage)})</li>`,
    )
    .join('');
  const told = replacePart(offlinePage, saved.length > 0 ? 'none' : 'saved', '');
  return replacePart(replacePart(told, 'list', items), 'notice', '');
}

const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
