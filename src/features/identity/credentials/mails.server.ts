import { firmOf } from '#features/base/firms/firms.server.ts';
import { DEFAULT_COLORS, type Firm } from '#features/base/firms/firms.ts';
import { accountsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { timeZoneFor } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The recipient of a mail about their access. */
export interface Reader {
  prismGuid: string;
  email: string;
  language: string;
}

export const langOf = ({ language }: { language: string }): Lang => languageOf(language) ?? DEFAULT_LANG;

/** The URL of a portal page in a mail: from the configuration, never from a request (threat-model.md T34). */
export const linkTo = (lang: Lang, page: string): string =>
  `${config.origin}/${config.base}/${lang}/auth/${page}`;

/**
 * The branding of the person's firm; the portal's own if they have no firm or several, in the time zone of
 * the first.
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

/** Notifies somebody that their password was changed. */
export async function changedMail(reader: Reader): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const firm = await letterheadFor(reader, lang);
  const line = t('changedText', { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) });
  return firmMail({
    about: { kind: 'security' },
    firm,
    to: reader.email,
    lang,
    title: t('changedTitle'),
    text: [line],
    button: { label: t('changedButton'), link: linkTo(lang, 'forgot') },
    reason: t('changedReason'),
  });
}

/** The mail to a new address, with the link that confirms it. */
export function emailChangeMail(
  firm: Firm,
  person: Actor,
  { email, token, expiresAt }: { email: string; token: string; expiresAt: number },
): Mail {
  const lang = langOf(person);
  const t = translationsFor(lang, 'mail');
  const moment = formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone);
  return firmMail({
    about: { kind: 'email-change', contactId: person.contactId },
    firm,
    to: email,
    lang,
    title: t('emailChangeTitle'),
    text: [t('emailChangeText', { email, firm: firm.name, moment })],
    button: { label: t('emailChangeButton'), link: linkTo(lang, `email/${token}`) },
    reason: t('emailChangeReason'),
  });
}

/** Tells the old address that somebody requested a new one. */
export function emailChangeNotice(firm: Firm, person: Actor, requester: Actor): Mail {
  const lang = langOf(person);
  const t = translationsFor(lang, 'mail');
  return firmMail({
    about: { kind: 'security', contactId: person.contactId },
    firm,
    to: person.emailAddress,
    lang,
    title: t('emailNoticeTitle'),
    text: [t('emailNoticeText', { sender: requester.fullName, firm: firm.name })],
    button: { label: t('securityButton'), link: `${config.origin}/${config.base}/${lang}/profile/security` },
    reason: t('securityReason'),
  });
}
