import { html } from 'hono/html';
import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { firmMail, mailedPage, paragraph } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { aboutTaxDate } from './events.server.ts';
import { dayText, titleOf } from './sentences.server.ts';
import type { TaxDate } from './tax-calendar.ts';

/** A reminder of dates, by their companies. */
export async function reminderMail(firm: Firm, reader: Actor, dates: readonly TaxDate[]): Promise<Mail> {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'tax-calendar');
  const clients = await clientsByIds(reader, [...new Set(dates.map(({ clientId }) => clientId))]);
  const sections = [...Map.groupBy(dates, ({ clientId }) => clientId)].map(([clientId, own]) => ({
    heading: clients.get(clientId)?.displayAs ?? '',
    lines: own.map((date) =>
      t(date.isConfirmed ? 'mailLine' : 'mailLineNotConfirmed', {
        date: dayText(lang, date.dueOn),
        name: titleOf(lang, date),
      }),
    ),
  }));
  const [only] = clients.keys();
  const clientId = clients.size === 1 ? only : undefined;
  const intro = t('mailText');
  const note = t('guarantee', { firm: firm.name });
  return firmMail({
    about: {
      kind: 'tax-date',
      contactId: reader.contactId,
      clientId,
      targets: dates.map(({ id }) => aboutTaxDate(id)),
    },
    firm,
    to: reader.emailAddress,
    lang,
    title: t('mailTitle', { count: dates.length }),
    body: html`${paragraph(intro)}
    ${sections.map(
      ({ heading, lines }) =>
        html`<h2 style="margin:0 0 8px;font-size:16px;line-height:1.3">${heading}</h2>
          <ul style="margin:0 0 16px;padding-left:20px">
            ${lines.map((line) => html`<li style="margin:0 0 4px">${line}</li>`)}
          </ul>`,
    )}
    ${paragraph(note)}`,
    text: [
      intro,
      ...sections.map(({ heading, lines }) => [heading, ...lines.map((line) => `- ${line}`)].join('\n')),
      note,
    ],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, 'tax-calendar', { companyId: firm.companyId, clientId }),
    },
    reason: t('mailReason', { firm: firm.name }),
  });
}
