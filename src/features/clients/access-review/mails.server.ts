import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Tells who manages the firm that a review of access has begun, or ends soon. */
export function reviewMail(firm: Firm, reader: Actor, event: 'started' | 'ends', dueAt: number): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const date = formatDate(LANGUAGES[lang], dueAt, firm.timeZone);
  return firmMail({
    about: { kind: 'security', contactId: reader.contactId },
    firm,
    to: reader.emailAddress,
    lang,
    title: event === 'started' ? t('reviewStartedTitle') : t('reviewEndsTitle'),
    text: [t('reviewText', { date })],
    button: {
      label: t('reviewButton'),
      link: `${config.origin}/${config.base}/${lang}/staff/access-review?${new URLSearchParams({ firm: firm.companyId })}`,
    },
    reason: t('retentionReason', { firm: firm.name }),
  });
}
