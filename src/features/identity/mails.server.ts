import { firmOf } from '#features/firms/firms.server.ts';
import { DEFAULT_COLORS, type Firm } from '#features/firms/firms.ts';
import { accountsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { formatMoment } from '#platform/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/languages.ts';
import { firmMail } from '#platform/mail-layout.server.ts';
import type { Mail } from '#platform/mail.server.ts';
import { timeZoneFor } from '#platform/time-zones.ts';
import { translationsFor } from '#platform/translations.server.ts';

/** Whom a mail about their access goes to. */
interface Reader {
  prismGuid: string;
  email: string;
  language: string;
}

const langOf = ({ language }: { language: string }): Lang => languageOf(language) ?? DEFAULT_LANG;

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
async function letterheadFor(
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

/** The mail with the link that sets a new password. */
export async function resetMail(reader: Reader, token: string): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const line = t('resetText');
  return firmMail({
    firm: await letterheadFor(reader, lang),
    to: reader.email,
    lang,
    title: t('resetTitle'),
    text: [line],
    button: { label: t('resetButton'), link: linkTo(lang, `reset/${token}`) },
    reason: t('resetReason'),
  });
}

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

/** Tells a member of staff that the operator of the portal lets them in again. */
export async function ownerResetMail(reader: Reader): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const firm = await letterheadFor(reader, lang);
  return firmMail({
    firm,
    to: reader.email,
    lang,
    title: t('ownerResetTitle'),
    text: [t('ownerResetText', { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) })],
    button: { label: t('changedButton'), link: linkTo(lang, 'forgot') },
    reason: t('changedReason'),
  });
}

/** The mail that carries an invitation. */
export function invitationMail(
  firm: Firm,
  sender: Actor,
  to: { email: string; language: string },
  token: string,
  expiresAt: number,
): Mail {
  const lang = langOf(to);
  const t = translationsFor(lang, 'mail');
  const title = t('inviteTitle', { firm: firm.name });
  const line = t('inviteText', {
    sender: sender.fullName,
    moment: formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone),
  });
  return firmMail({
    firm,
    to: to.email,
    lang,
    replyTo: { name: sender.fullName, address: sender.emailAddress },
    title,
    text: [line],
    button: { label: t('inviteButton'), link: linkTo(lang, `invitation/${token}`) },
    reason: t('inviteReason', { sender: sender.fullName, email: sender.emailAddress }),
  });
}

/** Tells a contact that staff made a rescue code for them; the code itself is told by phone alone. */
export function rescueMail(firm: Firm, sender: Actor, contact: Actor, expiresAt: number): Mail {
  const lang = langOf(contact);
  const t = translationsFor(lang, 'mail');
  const line = t('rescueText', {
    sender: sender.fullName,
    firm: firm.name,
    moment: formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone),
  });
  return firmMail({
    firm,
    to: contact.emailAddress,
    lang,
    title: t('rescueTitle'),
    text: [line],
    button: { label: t('rescueButton'), link: linkTo(lang, 'rescue') },
    reason: t('changedReason'),
  });
}
