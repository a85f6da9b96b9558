import { langOf, letterheadFor, linkTo, type Reader } from '#features/identity/credentials/mails.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { config } from '#platform/runtime/config.server.ts';
import { DEFAULT_LANG, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The mail with a password reset link. */
export async function resetMail(reader: Reader, resetId: string, token: string): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const line = t('resetText');
  return firmMail({
    about: { kind: 'reset', targets: [resetId] },
    firm: await letterheadFor(reader, lang),
    to: reader.email,
    lang,
    title: t('resetTitle'),
    text: [line],
    button: { label: t('resetButton'), link: linkTo(lang, `reset/${token}`) },
    reason: t('resetReason'),
  });
}

/** Notifies a staff member that the operator of the portal has reset their access. */
export async function ownerResetMail(reader: Reader): Promise<Mail> {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const firm = await letterheadFor(reader, lang);
  return firmMail({
    about: { kind: 'security' },
    firm,
    to: reader.email,
    lang,
    title: t('ownerResetTitle'),
    text: [t('ownerResetText', { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) })],
    button: { label: t('changedButton'), link: linkTo(lang, 'forgot') },
    reason: t('changedReason'),
  });
}

/** Notifies a contact that staff made a rescue code for them; the code itself is given by phone only. */
export function rescueMail(firm: Firm, sender: Actor, contact: Actor, expiresAt: number): Mail {
  const lang = langOf(contact);
  const t = translationsFor(lang, 'mail');
  const line = t('rescueText', {
    sender: sender.fullName,
    firm: firm.name,
    moment: formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone),
  });
  return firmMail({
    about: { kind: 'access-code', contactId: contact.contactId },
    firm,
    to: contact.emailAddress,
    lang,
    title: t('rescueTitle'),
    text: [line],
    button: { label: t('rescueButton'), link: linkTo(lang, 'rescue') },
    reason: t('changedReason'),
  });
}

/** Tells the owner of a firm that the operator created how to sign in: with a link, or as they do already. */
export function newFirmMail(
  firm: Firm,
  {
    email,
    link,
    issuerHost: host,
  }: { email: string; link: string | undefined; issuerHost: string | undefined },
): Mail {
  const t = translationsFor(DEFAULT_LANG, 'mail');
  const { text, label } =
    link === undefined
      ? { text: t('newFirmSignIn'), label: t('newFirmSignInButton') }
      : host === undefined
        ? { text: t('newFirmText'), label: t('resetButton') }
        : { text: t('newFirmAtIssuer', { host }), label: t('newFirmSignInButton') };
  return firmMail({
    about: { kind: 'reset' },
    firm,
    to: email,
    lang: DEFAULT_LANG,
    title: t('newFirmTitle', { firm: firm.name }),
    text: [text],
    button: { label, link: link ?? `${config.origin}/${config.base}/${DEFAULT_LANG}/staff` },
    reason: t('newFirmReason'),
  });
}
