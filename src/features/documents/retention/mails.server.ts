import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Tells who manages the firm that the retention periods were changed, and from when they apply. */
export function changedMail(
  firm: Firm,
  reader: Actor,
  { by, startsAt }: { by: string; startsAt: number },
): Mail {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const date = formatDate(LANGUAGES[lang], startsAt, firm.timeZone);
  return mailOf(firm, reader, t('retentionChangedTitle'), t('retentionChangedText', { name: by, date }));
}

/** Tells who manages the firm that documents were moved to the trash. */
export function movedMail(
  firm: Firm,
  reader: Actor,
  { count, until }: { count: number; until: number },
): Mail {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  const date = formatDate(LANGUAGES[lang], until, firm.timeZone);
  return mailOf(firm, reader, t('retentionMovedTitle', { count }), t('retentionMovedText', { date }));
}

const langOf = ({ language }: Actor): Lang => languageOf(language) ?? DEFAULT_LANG;

function mailOf(firm: Firm, reader: Actor, title: string, text: string): Mail {
  const lang = langOf(reader);
  const t = translationsFor(lang, 'mail');
  return firmMail({
    about: { kind: 'documents', contactId: reader.contactId, notification: 'retention' },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    text: [text],
    button: {
      label: t('retentionButton'),
      link: `${config.origin}/${config.base}/${lang}/staff/retention?${new URLSearchParams({ firm: firm.companyId })}`,
    },
    reason: t('retentionReason', { firm: firm.name }),
  });
}
