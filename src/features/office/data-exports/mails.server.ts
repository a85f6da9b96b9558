import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Tells who requested an export that it is ready. */
export function readyMail(firm: Firm, { contactId, emailAddress, language }: Actor, expiresAt: number): Mail {
  const lang = languageOf(language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const moment = formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone);
  return firmMail({
    about: { kind: 'security', contactId },
    firm,
    to: emailAddress,
    lang,
    title: t('exportReadyTitle'),
    text: [t('exportReadyText', { moment })],
    button: {
      label: t('exportReadyButton'),
      link: `${config.origin}/${config.base}/${lang}/staff/data-exports?${new URLSearchParams({ firm: firm.companyId })}`,
    },
    reason: t('exportReadyReason'),
  });
}
