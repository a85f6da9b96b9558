import { config } from '../runtime/config.server.ts';
import { isLang, type Lang } from '../text/languages.ts';

/**
 * Returns the address of a page in a language: `pageAddress('pt', 'documents')` →
 * `/clientcenter/pt/documents`.
 */
export const pageAddress = (lang: Lang, page = ''): string => `/${config.base}/${lang}/${page}`;

/**
 * Builds addresses of pages for one request, in its language and with the client named in its address, so
 * that two tabs can show two clients, even without scripts (product.md, Session and sign-in).
 */
export type PathTo = (page?: string, query?: Readonly<Record<string, string | undefined>>) => string;

/** Creates the builder for a request whose address names this client, or none. */
export const addressBuilder =
  (lang: () => Lang, clientId: string | undefined): PathTo =>
  (page = '', query = {}) => {
    const home = pageAddress(lang());
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    const parameters = String(new URLSearchParams(given));
    const address = parameters === '' ? home + page : `${home + page}?${parameters}`;
    return clientId === undefined ? address : withClient(address, clientId, home);
  };

/** Pages where the account or the person changes, which drop the client. */
const UNPINNED_PAGES = ['auth', 'account-switch'];

/** Adds the client to an address that does not name one. */
function withClient(address: string, clientId: string, home: string): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  if (UNPINNED_PAGES.some((page) => path.startsWith(home + page)) || /[?&]client=/.test(query))
    return address;
  return `${path}${query === '' ? '?' : `${query}&`}client=${encodeURIComponent(clientId)}${fragment}`;
}

/**
 * Returns the address of step-up authentication, which continues at `back`; `because` says why it is needed,
 * or what failed at the issuer.
 */
export const confirmPath = (lang: Lang, back: string, because?: 'downloads' | 'other' | 'failed'): string =>
  `${pageAddress(lang, 'auth/confirm')}?${new URLSearchParams({ ...(because && { because }), r: back })}`;

/**
 * Returns where people continue after signing out and in again: on the same page, but on the start page for
 * staff who were viewing as a contact.
 */
export const returnPath = (lang: Lang, url: URL, isViewingAs: boolean): string =>
  isViewingAs ? pageAddress(lang) : url.pathname + url.search;

/** Returns the address in another language; one without a language stays as it is. */
export const inLanguage = (address: string, lang: Lang): string => {
  const [base, named] = address.split('/').slice(1);
  return base === config.base && named !== undefined && isLang(named)
    ? `/${base}/${lang}${address.slice(`/${base}/${named}`.length)}`
    : address;
};
