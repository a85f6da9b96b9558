import { firmOf } from '#features/firms/firms.server.ts';
import { DEFAULT_COLORS, type Firm } from '#features/firms/firms.ts';
import { accountsOf } from '#features/people/people.server.ts';
import { now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { formatMoment } from '#platform/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/languages.ts';
import { firmMail } from '#platform/mail-layout.server.ts';
import type { Mail } from '#platform/mail.server.ts';
import { timeZoneFor } from '#platform/time-zones.ts';
import { translationsFor } from '#platform/translations.server.ts';

/** Whom a mail about their access goes to. */
export interface Reader {
  prismGuid: string;
  email: string;
  language: string;
}

export const langOf = ({ language }: { language: string }): Lang => languageOf(language) ?? DEFAULT_LANG;

/**
 * The address of a page of ours in a mail: from the configuration, never from a request (threat-model.md
 * T34).
 */
export const linkTo = (lang: Lang, page: string): string =>
  `${config.origin}/${config.base}/${lang}/auth/${page}`;

/**
 * The stationery of the person's firm; that of the portal where they have none or several, in the zone of the
 * first.
 */
export async function letterheadFor(
  { prismGuid }: Reader,
  lang: Lang,
): Promise<Firm | ReturnType<typeof ownLetterhead>> {
  const [first, ...others] = (await accountsOf(prismGuid)).filter(({ firmLocked }) => !firmLocked);
  const firm = first && (await firmOf(first.companyId));
  return firm && others.length === 0 ? firm : ownLetterhead(lang, firm?.timeZone ?? timeZoneFor(lang));
}

const ownLetterhead = (lang: Lang, timeZone: string) => ({
  timeZone,
  name: translationsFor(lang, 'mail')('portalName'),
  phone: '',
  email: '',
  theme: { logoUrl: null, headerLine1: translationsFor(lang, 'mail')('portalName'), ...DEFAULT_COLORS },
});

/** Tells somebody that their password is another one now. */
export async function changedMail(reader: Reader): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const firm = await letterheadFor(reader, lang);
  const line = t('changedText', { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) });
  return firmMail({
    firm,
    to: reader.email,
    lang,
    title: t('changedTitle'),
    text: [line],
    button: { label: t('changedButton'), link: linkTo(lang, 'forgot') },
    reason: t('changedReason'),
  });
}
