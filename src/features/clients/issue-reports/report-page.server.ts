import { pageAddress } from '#features/base/logging/logging.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

type Page = Pick<App.Locals, 'lang'>;

/** The words in the address of the page on which the problem was, as a link names it; the front page for any other. */
export const sourceOf = (from: string | null): string =>
  from !== null && from.length < 200 && pageAddress.test(from) ? from : '/';

/** Words of routes, and `*` for everything else, such as ids. */
export const wordsOf = (pathname: string): string =>
  pathname
    .split('/')
    .slice(0, 13)
    .map((part) => (/^[a-z-]{0,24}$/.test(part) ? part : '*'))
    .join('/');

/** What is sent with a report, a line each, as far as the server knows it. */
export function knownDetails({ lang }: Page, source: string, userAgent: string | null): string[] {
  const t = translationsFor(lang, 'issues');
  return [
    t('detailPage', { page: source.replace(/^(?:\/[^/]+){1,2}(?=\/|$)/, '') || '/' }),
    t('detailLanguage', { language: translationsFor(lang, 'common')('languageName') }),
    t('detailBrowser', { browser: browserOf(userAgent ?? '') }),
  ];
}

/** The family of a browser and of its system, no more. */
function browserOf(userAgent: string): string {
  const family = /Edg\//.exec(userAgent)?.[0] ?? /Firefox|Chrome|Safari/.exec(userAgent)?.[0] ?? 'other';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(userAgent)?.[0] ?? 'other';
  return `${family.replace('Edg/', 'Edge')}, ${system}`;
}
