import { foreignSignatureText } from '#features/signing/signing/certificate.server.ts';
import type { Draft } from '#features/signing/signing/drafting.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** What the sender is told before sending; undefined if there is nothing to tell. */
export function warningBeforeSending(
  { signatures, differences }: Draft['notCarried'],
  { lang, locale, timeZone }: { lang: Lang; locale: string; timeZone: string },
) {
  if (signatures.length === 0 && differences.length === 0) return undefined;
  const t = translationsFor(lang, 'signing');
  const moment = (at: number): string => formatMoment(locale, at, timeZone);
  const pages = differences.map(({ page }) => page);
  return {
    foreign:
      signatures.length === 0
        ? undefined
        : {
            title: t('foreignTitle', { count: signatures.length }),
            signatures: signatures.map((each) => foreignSignatureText(lang, each, moment)),
          },
    different:
      pages.length === 0
        ? undefined
        : t('differentText', { count: pages.length, pages: pagesText(locale, pages) }),
  };
}
export type SendWarning = NonNullable<ReturnType<typeof warningBeforeSending>>;

/** Numbers of pages, as a list to read. */
export const pagesText = (locale: string, pages: readonly number[]): string =>
  new Intl.ListFormat(locale, { type: 'conjunction' }).format(pages.map(String));
