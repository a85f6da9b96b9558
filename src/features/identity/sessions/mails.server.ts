import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Notifies somebody that an API token was created in their name, in case they did not create it. */
export function tokenMail(firm: Firm, owner: Actor, expiresAt: number): Mail {
  const lang = languageOf(owner.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const moment = (instant: number): string => formatMoment(LANGUAGES[lang], instant, firm.timeZone);
  const { name, phone } = firm;
  return firmMail({
    about: { kind: 'security', contactId: owner.contactId },
    firm,
    to: owner.emailAddress,
    lang,
    title: t('tokenMadeTitle'),
    text: [
      t('tokenMadeText', { moment: moment(now()), end: moment(expiresAt) }),
      phone === '' ? t('notYou', { firm: name }) : t('notYouCall', { firm: name, phone }),
    ],
    button: { label: t('securityButton'), link: `${config.origin}/${config.base}/${lang}/profile/security` },
    reason: t('securityReason'),
  });
}
