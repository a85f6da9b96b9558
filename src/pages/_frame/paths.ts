import { config } from '#platform/config.server.ts';
import { isLang, type Lang } from '#platform/languages.ts';

/** The address of a page in a language: `pathTo('pt', 'documents')` → `/clientcenter/pt/documents`. */
export const pathTo = (lang: Lang, page = ''): string => `/${config.base}/${lang}/${page}`;

/**
 * The page where somebody proves again who they are, and comes back from to `back`; with a `because` it says
 * what for, or what went wrong at the issuer.
 */
export const confirmPath = (lang: Lang, back: string, because?: 'downloads' | 'other' | 'failed'): string =>
  `${pathTo(lang, 'auth/confirm')}?${new URLSearchParams({ ...(because && { because }), r: back })}`;

/**
 * Where whoever signs out here comes back to at the next sign-in: the same page, but the start page for staff
 * who were viewing as a contact.
 */
export const returnPath = (lang: Lang, url: URL, isViewingAs: boolean): string =>
  isViewingAs ? pathTo(lang) : url.pathname + url.search;

/** The same address of ours in another language; an address that names none stays as it is. */
export const inLanguage = (address: string, lang: Lang): string => {
  const [base, named] = address.split('/').slice(1);
  return base === config.base && named !== undefined && isLang(named)
    ? `/${base}/${lang}${address.slice(`/${base}/${named}`.length)}`
    : address;
};
